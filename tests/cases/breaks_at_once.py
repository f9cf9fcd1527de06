def returns():
    for x in y:
        break
    else:
        return 1
    foo()
    bar()


def returns_twice():
    for x in y:
        if a:
            break
        return 2
    else:
        return 1
    foo()
    bar()


def nested():
    for x in y:
        for z in x:
            break
        else:
            return 3
        foo()
        break
    else:
        return 1
    foo()
    bar()


async def asynchronous():
    async for x in y:
        break
    else:
        return 1
    foo()
    bar()


async def asynchronous_in_loop():
    while True:
        async for x in y:
            if a:
                break
        else:
            break
        if b:
            break
        foo()
    bar()


def before_finally():
    try:
        for x in y:
            break
        else:
            return 1
        foo()
    finally:
        bar()


def in_with():
    with g:
        for x in y:
            break
        else:
            raise a
        if foo():
            return 2
        zoo()
    bar()


def in_loop():
    while True:
        for x in z:
            if c:
                break
        else:
            break
        if b:
            break
    a


for x in y:
    break
else:
    raise a
while True:
    for x in y:
        if c:
            break
    else:
        break
    if b:
        break
    d
while True:
    for x in y:
        break
    else:
        break
    if b:
        break
a
