# since: 3.15
def unpacks():
    return [*a for a in b if c], {*a for a in b for c in a}, {**a for n in m}, (*a for a in b)


x = {**a for n in m}
y = ([*a for n in m], {*a for n in m})
z = list(*a for n in m)


async def waits():
    return [*a async for a in b], {**a async for a in b if await c}, (*a async for a in b)
