def roots(a, b, c):
    if a:
        b = c(b)
        return f"x({b})" if a == 1 else f"1/x({b})"
    return f"{'q' if a else 'r'}({b})"


def printed(a, b):
    print(f"x({b})" if a == 1 else f"1/x({b})")
    return f"{b}x" if a else f"{b}y"


def formatted_and_chosen_again(m):
    return f"@{m.a if b else m.c}" if m else "x"


def formatted_with_more(m):
    return f"@{m.a if b else m.c!r:>10}, {d}" if m else "x"


def formatted_and_raised(m):
    raise E(f"@{m.a if b else m.c}" if m else "x")


def formatted_on_each_way(m):
    return f"@{m.a}" if b else f"@{m.c}" if m else "x"
