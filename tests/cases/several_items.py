def items():
    with a as b, c:
        b()
    with a() as b, c() as d, e:
        with f:
            b()
            return 1


async def asynchronous():
    async with a as b, c:
        await b
    async with a as b:
        async with c:
            await b


def nested():
    with a:
        with b as c, d:
            c()
        e()
    with a:
        with b:
            c()
