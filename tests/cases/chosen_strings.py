def roots(a, b, c):
    if a:
        b = c(b)
        return f"x({b})" if a == 1 else f"1/x({b})"
    return f"{'q' if a else 'r'}({b})"


def printed(a, b):
    print(f"x({b})" if a == 1 else f"1/x({b})")
    return f"{b}x" if a else f"{b}y"
