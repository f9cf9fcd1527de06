def other(x):
    if x:
        return f(1)
    else:
        return f(2)
def guard(x):
    if x:
        return f(1)
    return f(2)
def chain(x):
    if x == 1:
        return f(1)
    elif x == 2:
        y = g()
        return y
    elif x == 3:
        raise E
    else:
        return f(4)
def anew(x):
    if x == 1:
        return f(1)

    if x == 2:
        return f(2)
    else:
        raise E
def long_text(x):
    if x:
        raise ValueError('the value that was given is not one of those '
                         'that are allowed here')
    return f(x)
