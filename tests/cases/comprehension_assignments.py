# differs: constant conditions
def compr1(self):
    a = {k: v for k in x for v in [k * 2]}


def compr2():
    return [y for x in [1,2] for y in [x]]


def compr3():
    return {y: z for x in q if x for y in [x + 1] if y for z, w in [(y, x)] if z or w}


def compr4():
    return (y for x in q if x for y in [x + 1] if y)


async def compr5():
    return [y async for x in q if x for y in [x + 1] if await y]


def compr6():
    return [y for y in [1]]


def vain():
    return (i for i in z if y or (a and (not 'text')))


def declared_global(sentinel):
    global found

    def inside():
        global found
        [(found := sentinel) for _ in a]
        return found

    found = inside


def declared_nonlocal():
    found = None

    def inside():
        nonlocal found
        return ([(found := 3) for _ in y] for y in z)

    return found
