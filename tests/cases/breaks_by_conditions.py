def breaks():
    while a:
        if b and (c or d):
            break
        e
    f


def goes_on():
    while a:
        if b and (c or d) or e:
            continue
        f


def two_of_them():
    while a:
        if not b:
            break
        if c:
            break
        d
    e
