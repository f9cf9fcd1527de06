def digest(a, b):
    while True:
        size = a(b)
        if size == 0:
            break
        a.update(b)
    return a
def inner(a, b):
    while True:
        size = a(b)
        if size == 0:
            return a
        a.update(b)
def inner2(a, b):
    while True:
        size = a(b)
        if size != 0:
            a.update(b)
            continue
        return a
def inner4(a, b):
    while a():
        if x:
            break
        b()
    return a
def dt(x, y):
    for k, j in zip(x, y):
        if k is not j:
            y = tuple(y)
            break
    else:
        y = x
    return y

def pk(fn):
    for f in fn:
        if f == 1:
            ispkg = True
            break
        g(f)
    else:
        return 3
    x(ispkg)
    return 5
