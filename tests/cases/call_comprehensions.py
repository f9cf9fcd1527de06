def f(g, args, kwargs):
    return g(*[x.y for x in args], **{k: v for k, v in kwargs.items()})
def f2(g, args, kwargs):
    return g(*[x.y for x in args])
def f3(g, args, kwargs):
    return g(*[x.y for x in args], **kwargs)
def f4(g, args, kwargs):
    return g(*[x.y for x in args], a=1, **{k: v for k, v in kwargs.items()})
def f5(g, args, kwargs):
    return g(1, *[x.y for x in args], **{k: v for k, v in kwargs.items()})
