class Names:
    (first, second) = both = pair


def chained(source):
    try:
        del source.old
    finally:
        (a, source.b) = c = {}
    d = (e, f) = g = h = source()
    (i, j) = (k, l) = source.pair
    return a, c, d, e, f, g, h, i, j, k, l


def ignored(rows):
    for _, _ in rows:
        print(rows)
    return {last for _, _, last in rows}, (last for _, _, last in rows)
