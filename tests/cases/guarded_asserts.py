def last(a, b):
    if a in (1, 2):
        assert b


def two_lines(a, b):
    assert a or (
        b), c


def behind(a, b):
    if a and b:
        assert a < b, a
    return a
