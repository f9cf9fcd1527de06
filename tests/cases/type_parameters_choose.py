# since: 3.12
class First[T](a if b else c, **w):
    pass


def second[T](*, x: a or b = 1):
    pass


def third[T](x: a if b else c, *, y=d):
    pass
