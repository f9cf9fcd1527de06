# since: 3.11
def a(p):
    try:
        st = os.stat(p)
    except OSError:
        return False
    else:
        return S(st)
def b(p):
    try:
        st = os.stat(p)
    except OSError:
        return False
    return S(st)
def d(x):
    for y in x:
        try:
            f(y)
        except E:
            continue
        else:
            g(y)
        h(y)
def f(x):
    while x:
        try:
            f(x)
        except E:
            continue
        x = g(x)
def g(x):
    while x:
        try:
            x = f(x)
        except E:
            pass
