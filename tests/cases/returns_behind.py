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


def behind_try(a):
    try:
        with a, c:
            b()
    except E:
        return 1
    return 0


def behind_loop_in_try(a):
    try:
        for x in a:
            if x:
                break
        else:
            d()
    except E:
        return 1
    except F:
        raise
    return 0
