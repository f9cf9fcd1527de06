async def waits():
    with a:
        return [0 async for b[0] in source()]
    c()


def loops():
    with a:
        return {0 for b.c in d}
    e()


def unbound():
    x: object
    [x for x in a]
    return x
