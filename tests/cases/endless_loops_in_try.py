def tried_again(a, b):
    for c in a:
        try:
            while True:
                d = b()
                if not d:
                    break
            break
        except ValueError:
            print(c)
    return c


for c in a:
    try:
        while True:
            d = b()
            if not d or c:
                break
        break
    except ValueError:
        raise
print(c)

try:
    while True:
        if a:
            try:
                b
                break
            except C:
                del c.d
        else:
            with b:
                break
        raise c
except E as e:
    f
else:
    g
