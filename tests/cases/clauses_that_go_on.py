# differs: newer compilers leave a clause in the same way, whether `continue` was written or not
for a in b:
    try:
        c
    except D as d:
        continue
    except E as e:
        pass
    except F as f:
        g
        continue
    except G as h:
        i

for a in b:
    with c:
        try:
            d
        except D as d:
            if e:
                continue
            else:
                break
        except E as e:
            try:
                f
            except F as f:
                continue
            except G as g:
                pass
