async def updates():
    c[:a:2] ^= a and [i async for i in x] and 1


async def passes():
    f(c, a or [i async for i in x] or b and c or d)
    f(c, a and [i async for i in x] and b and {i async for i in x} and d)
    return 2


async def returns():
    return a and [i async for i in x] or b and {i async for i in x} or d


async def tests():
    if a and [i async for i in x] or b and {i async for i in x} or d:
        return 1
    return a and (await c or d) and f
