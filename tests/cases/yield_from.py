def comprehensions(y):
    for z in y:
        yield from [x for x in z]
    yield from {x for x in y}
    result = yield from (x for x in y)
    return result


def plain(y):
    yield from y
    x = yield from y.z()
    yield x
