"""Chains of comparisons that are returned, over several lines."""


def f(c):
    return a(c) or \
        65 <= b(c) <= 70 or 97 <= b(c) <= 102


def g(c):
    return (65 <= b(c) <= 70 or
        97 <= b(c) <= 102)


def h(c):
    return (65 <= b(c)
        <= 102)


def k(c):
    return (x and
        97 <= b(c) < 4 <= 102)
