# differs: constants that decide a condition leave only its tests
def behind_tests(b):
    b[b:] /= a if c or 1000000 else d
    x = g or (y if b and (not ...) else z)
    h((g or (y if b and (not ...) else z)), k)
    return y if b or 1 else z


def never(z, w):
    lambda: 1 or z
    lambda a: 0 and (yield z) and (lambda: a)
    (z for x in w if 0)
    return {z for i in 2j if 0.0}


if (g or (y if b and (not ...) else z)) and a:
    pass


class Body:
    assert g and 2


def chained():
    b(1 <= z == a or 'x')


def captured(y):
    class Body:
        y = a
        assert 0

        def dead():
            y
