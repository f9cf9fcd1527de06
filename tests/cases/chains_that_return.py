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


def chosen(a, b, c, d, e, f, g):
    return a < b < c if g else d < e < f


def chosen_and_used(a, b, c, d, e, f, g):
    return not (a < b < c if g else d < e < f)


def chosen_of_three(a, b, c, d, e, f, g):
    return a in b == c if g else d < e < f if c else a < b < c < d


def chosen_in_with(a, b, c, d, e, f, g):
    with g:
        return a < b < c if g else d < e < f


in_lambda = lambda: a < b < c if g else d < e < f
