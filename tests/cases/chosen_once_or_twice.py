# since: 3.11
def names(a):
    return b(a) if c else d(a)


def name(a):
    return (b if c else d)(a)


def attributes(a, b):
    return a.c if d else b.c


def attribute(a, b):
    return (a if d else b).c


def items(a, b):
    return a[0] if c else b[0]


def item(a, b):
    return (a if c else b)[0]


def sums(a, b):
    return a + 1 if c else b + 1


def total(a, b):
    return (a if c else b) + 1


def arguments(a, b):
    return c(a) if d else c(b)


def argument(a, b):
    return c(a if d else b)


def locals_of_a_try(a, b):
    try:
        return a.c if d else b.c
    except E:
        return a(0) if d else b(0)


def raised(a, b):
    raise a(0) if c else b(0)
