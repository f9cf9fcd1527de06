# since: 3.10
"""Conditions and choices that were written on several lines: each part has a line of its own, since 3.10 in the bytecode, too."""


def while_over_lines(a, b):
    if a:
        while (
            a.x
            and a.y(b)
        ):
            a = a.z


def in_a_while(a, b, i, j):
    for k in b:
        while (
            i < k
            and j(a[i])
            and a[i] == b[k]
        ):
            i = i + 1
        a.append(i)


def several_ors(line, text):
    while line > 0 and (
        text.get(line)
        or text.end(line)
    ):
        line = line - 1


def broken_out_of(items):
    for item in items:
        if (
            item.a
            or item.b
        ):
            break
        item()
    return items


def returned(a, b):
    return (
        b(a.x)
        if a.x is not None
        else None
    )


def returned_two(a, b, c):
    if a:
        c = b(a)
    return (
        a if b
        else b if c
        else c
    )


def left_managers(a, b):
    with a:
        if b:
            return b.x
        return b.y


def left_twice(a, b):
    with a:
        if b:
            if a.x:
                return 1
            return 2
        return 3


def chained(a, b, items):
    for item in items:
        if (
            item.a
            and item.b
        ):
            continue
        if (
            item.c
            or b
        ):
            a = item
            continue
        item()
    return a


def guarded(a, b):
    if (
        a is None
        or b is None
    ):
        return None
    if (
        not a
        and b
    ):
        raise b
    a()
    return b
