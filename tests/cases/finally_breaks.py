# differs: nothing tells a jump that the finally overrides from falling to it, nor a loop that never repeats
def out_of_a_loop_that_never_repeats(a):
    while True:
        if a not in b or (1 < a and c and d):
            break
        try:
            return (yield a)
        finally:
            e = a
            break
    yield from g


for x in y:
    try:
        a
    except E as e:
        b
        break
    finally:
        c()
        break

for x in y:
    try:
        a
    except E as e:
        if b:
            try:
                continue
            finally:
                c()
    finally:
        d()
        continue

while True:
    try:
        a
    except E as e:
        if b:
            break
    finally:
        c()
        if d:
            break
        raise x

while True:
    try:
        a
    except E as e:
        b
        if c:
            break
    finally:
        d()
        raise x
