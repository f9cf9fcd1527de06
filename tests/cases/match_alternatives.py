# since: 3.10
def alternatives(x):
    match x:
        case [a, b] | {"a": a, "b": b} | Pair(a, b):
            y = a, b
        case [1 | 2 | 3 as n, ("x" | "y") as letter]:
            y = n, letter
        case (Foo(a) | Bar(b=a), _) | [_, a, _]:
            y = a
        case [0, 1] | [1, 0]:
            y = 0
        case _:
            y = None
    return y


def last_is_or(x):
    match x:
        case 1:
            y = 1
        case [a, 2] | [2, a]:
            y = a
    return y
