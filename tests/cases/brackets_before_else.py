"""One free line in front of a `return` is no `else:` where a bracket that closes a call takes it, or where a guard has raised."""


def closed(a, b):
    if a:
        return b(
            a.x,
            a.y,
        )
    return b


def closed_under_else(a, b):
    if a:
        return b(
            a.x,
            a.y,
        )
    else:
        return b


def guarded(a):
    if a.x is None:
        raise ValueError(a)

    return a.x


def returned_over_lines(a, b):
    if a:
        return b

    return b(
        a.x,
        a.y
    )


def under_else(a, b):
    if a:
        return b
    else:
        return b.x
