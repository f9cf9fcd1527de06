class First(a if b else c, **w):
    pass


class Second(a if b else c, *d, x=1, **w):
    pass


class Third([x for x in y], z, **w):
    pass
