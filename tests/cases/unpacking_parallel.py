(a, b), c = s.x, s.y
d, (a, b), c = s.x, s.y, s.z
(a, *b), (c, d) = s.x, s.y
(a.x, b[0]), c = s.x, s.y


class A:
    (a, b), c = s.x, s.y


def f(s):
    (a, b), c = s.x, s.y
    c, (a, b) = s.x, s.y
    (a, b), c, d = s.x, s.y, s.z
    d, (a, b), c = s.x, s.y, s.z
    (a, *b), (c, d) = s.x, s.y
    (a.x, b[0]), c = s.x, s.y
    for (a, b), c in s:
        (a, b), c = c, (a, b)
    return a
