def v(a):
    if 1 <= a <= 2:
        f(a)
def x(a):
    if 1 <= a <= 2:
        return f(a)
def y(a):
    if not 1 <= a <= 2:
        return None
    return f(a)
def z(a):
    return 1 <= a <= 2 and f(a)
def t(a, b):
    if 1 <= a <= 2 and 3 <= b <= 4:
        return f(a)
