# since: 3.12
# differs: which of two values a constant chooses is not kept, only what was tested before it
def plain():
    d[a] *= {a for () in a} if (z := 0) or (h or ...) else a
    return d({a for () in a} if (z := 0) or True else a)


def chosen():
    d([a for () in (a or b)] if (z := 0) or g or True else a, 5)
    d([a for () in (a if b else c)] if (z := 0) or True else a, 5)


def nested():
    d([a for b in [c for c in e]] if (z := 0) or g or True else a, 5)


async def asynchronous():
    d({a async for () in a} if (z := 0) or True else a, 5)


class A:
    d([{a for () in a} + {a for () in (b if c or True else 8)} if (z := 0) or g or True else a], 5)
    d((a for () in a) if (z := 0) or g or True else a, 5)


d([a for () in (a or b)] if (z := 0) or g or True else a, 5)
