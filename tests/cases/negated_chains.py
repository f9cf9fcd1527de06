def three(b, /, *args):
    return not a <= y is b >= (x if d else y)


def two(b, /):
    return not a <= b >= (x if d else y)


def stored(b, /):
    x = not a <= b >= (x if d else y)
    return not b >= (x if d else y)
