# since: 3.10
# differs: constants are folded, and values get names
def f8():
    for h in a:
        match a:
            case C():
                continue
            case p11:
                a
        break
def f9():
    try:
        x
    except E:
        for h in a:
            match a:
                case C():
                    continue
                case p11:
                    a
            break
def f10():
    x
    while b:
        match a:
            case C():
                continue
            case p11:
                a
        break
    y
def f1():
    b, = a
    with a as ():
        return
    return b.u
def f2():
    with a:
        a
        return
    yield from False
def f4():
    b, = a
    y = {'é😀', 1.5, 'é😀'}
def f5():
    b[:] @= a if a and (not 1000000) else (z := a)
def f7(c, x):
    match a:
        case True:
            def f23():
                c
    z(*c, k=x if a or 255 else x)
