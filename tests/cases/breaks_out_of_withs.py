while True:
    c
    with a:
        break
if b:
    d


def behind_the_loop():
    while True:
        c
        with a:
            break
    b


def of_several_managers():
    while True:
        d()
        with a as x, b as y:
            break
    return x, y


async def asynchronous():
    while True:
        c()
        async with a:
            d()
            break
    b()
