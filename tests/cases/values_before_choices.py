def waiting(a, b, c, d):
    return hash(((a.x if a else b,), c if d else None))


def message(name, plural, given, more):
    raise TypeError(
        "%s takes argument%s but %d %s given"
        % (name, "s" if plural else "", given, "was" if given == 1 and not more else "were")
    )


def unpacked(condition, *args):
    if not condition:
        raise AssertionError(*args)
