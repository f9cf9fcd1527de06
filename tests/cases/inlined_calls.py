def conditions(x):
    if all(a for a in x):
        return any(b > 1 for b in x if b)
    while any(i for i in x):
        x = list(a.b for a in x if a)
    assert all(isinstance(i, int) for i in x), "message"
    return not all(q for q in x)


def values(x):
    y = tuple(a for a in x)
    z = set((a, b) for a, b in x)
    return use(x, any(i for i in x), *y, key=list(v for v in z))


def both(x):
    return all(a for a in x) and any(b for b in x)


class Body:
    x = all(i for i in y)
