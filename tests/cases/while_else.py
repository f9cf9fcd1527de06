def else_raises():
    while remaining:
        if a:
            break
        d()
    else:
        raise a
    c()


def else_returns(i, n):
    while i < n and a:
        if b:
            continue
        if c(i):
            break
        d()
    else:
        return e
    return f
