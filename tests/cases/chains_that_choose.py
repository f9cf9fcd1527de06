class C:
    a = 0 if not b < d != c else a


def f():
    x = a(0 if not b < d < c else b)
    return x


a = 0 if not b < d != c else a
