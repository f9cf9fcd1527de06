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


b = [a for i, j in c] if a else {i for i, *j in d}
b = f([a for i, j in c] if a else [i for i, j in d], b)
