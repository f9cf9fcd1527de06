# since: 3.14
def templates(a, b, width):
    plain = t"text"
    fields = t"{a}{b!r} and {a + b:>{width}}"
    nested = t"{t'{a}'}{'quoted'}"
    folded = t"{1 + 1}"
    return plain, fields, nested, folded, t"", t"{ a }{{}}"


def together(a):
    return t"one {a}" t" two {a.b[0]!s:x}"
several = t"{a()!s:}{ {b for c in d}}", t"{a!s:>{b or c}}{ [e or f] } {g or h!r}"
never = t"{ [x for x in a if True] :>{b}}{60 * 60}{(lambda: 60 * 60)}"
starred = t"{a(*())!r:>{b}}"


async def awaited(a, b):
    return t"{(await a) if 1 else 2}", t"{[(await a) + (1 + 1) async for x in b]}"


def yielded(a):
    return t"{(yield a) + (1 + 1)}", t"{(yield from a) + 60 * 60}"
