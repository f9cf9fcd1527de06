# since: 3.11
def returns(a):
    with a:
        if not b:
            return None
        if c:
            return None
        for x in y:
            if x:
                return None
        d()


def several(a):
    with a as b, b.c as d:
        if not b:
            return None
        c()


def continues(a):
    for x in y:
        with a:
            if not b:
                continue
            c()


def nested(a):
    while a:
        with a as b:
            if not b:
                continue
            if c:
                break
            with e:
                if x:
                    continue
                c()


async def waits(a):
    async with a:
        if not b:
            return None
        c()


def falls(a):
    with a:
        if b:
            c()


def behind(a):
    with a:
        if not b:
            return None
        c()
    d()
