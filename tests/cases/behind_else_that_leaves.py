def returns(c):
    if a:
        return 1
    if b:
        i = 2
    else:
        raise E
    return i


def follows(c):
    if a and b:
        x()
    else:
        raise E
    y()
    z()


def asserts(c):
    if a and b:
        x()
    else:
        assert False
    y()
    z()


def chosen(c):
    if b:
        i = 2
    elif c:
        i = 3
    else:
        assert False
    return i


def alone(c):
    if a:
        x()
    else:
        raise E
    y()
    z()


def tested(c):
    if a and b:
        x()
    else:
        raise E
    y()
    z()


def loops(c):
    for x in y:
        if a:
            b()
        elif c:
            d()
            continue
        else:
            raise E
        e()


def nested(c):
    if p:
        if a:
            b()
        else:
            raise E
        c()
    else:
        return 2
    d()
