def plain(y):
    x, y = (y, (w := z))
    return x, y


def chosen(y):
    x, y = (y, (w := (z if c else d)))
    return x, y


def comprehension(y):
    x, y = (y, (w := {c for i in 1}))
    return x, y


def twice(y):
    x, y = (y, (y := {c for i in 1}))
    return x, y


def three(y):
    x, y, z = (y, (w := z), y)
    return x, y, z
