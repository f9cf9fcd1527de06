def endless(a, b):
    while True:
        if a:
            if b:
                b()
                if c:
                    d()
                break
            e()
        f()
    return a


def exhausted(names):
    for name in names:
        found = name()
        if found:
            break
    else:
        raise E('nothing')
    return found, name


def inside(a):
    while True:
        b = a()
        if b:
            return b
        c()
