def returned():
    return not a <= y < (x if d else y)


def twice():
    return not a <= y is b >= (x if d else y)


def added():
    return c + (a < b < (x or y))


class C:
    v = h is a != (d if x else a)
