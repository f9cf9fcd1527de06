def a_global(b):
    [x for x in b]

    def g():
        return x

    return [lambda: x for x in b]


def a_global_in_the_next(b):
    [c for c in (lambda: [b for d in c])]
    [c for d in b]


def restored(x):
    a = b
    try:
        return {z: i for a in x}
    finally:
        def g() -> int:
            nonlocal a


@a
def used_between(y):
    [i for (a,) in y]
    print(a)
    return {1: a for j in y}


@a
async def used_elsewhere(y):
    if y:
        {i async for (a,) in y}
    elif a:
        print(y)
