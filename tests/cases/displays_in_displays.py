def dicts(u):
    return {A: B, **{C: d}}, {**u, A: B, **{C: d}}, {**{}}, {**{}, a: b}, {a: b, **{}}


def keywords(u):
    return g(a=B, **{"c": d}), g(**u, a=x, **{"c": d})


def sequences(u):
    return [a, *(b, c)], [*u, *[b, c], *[d]], [a, *[], b]


def sets(u):
    return {a, *{b, c}, *(d,)}, {*(1, 2), *[3, 4, 5], u}


def in_groups(u):
    return {
        **u, a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1, h: 1, i: 1, j: 1, k: 1, l: 1, m: 1, n: 1, o: 1, p: 1, q: 1,
        r: 1, s: 1, t: 1,
    }


def constants_first(u):
    return f((1, 2, 3, *u, 4, 5, 6)), [1, 2, 3, *u, a, 4], [*u, 1, 2, 3], {1, 2, 3, *u, 4}
