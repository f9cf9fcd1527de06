a.u, b[d and e] = c
a.u, b[d if e else f] = b[g or h], i = c
(x or y).u, b[d < e < f], z = c
r, *b[d or e] = c
for a.u, b[d and e] in c:
    g()
for b[d and e], a.u in c:
    g()
with a as (b.u, c[d or e]):
    g()
with a as (c[d or e], (b.u, c[d or e])), b as c[d or e]:
    g()
(a or b).u, (c or d).v = e or f, g or h
p, q[d and e] = r = c
p, q[d and e], s[f and g] = r = c or d
x, y[[i for i in a if i][0]], z = c
x, y[[i for i in a if i][0] or b], z[d or e] = c


class C:
    a.u, b[d and e] = c
    for a.u, b[d and e] in c:
        g()


def f(a, b, c, d):
    a.u, b[c or d] = e
    a, b[a or d] = e
    b[a or d], a = e, f
    a, b[a and c] = b, b[c and a] = e
    for a, b[d and e] in c:
        g()
    for b[d and e], a in c:
        if g():
            break
    x, y[[i for i in a if i][0]], z = c
    with a as (b.u, c[d or e]):
        return d
    return [i for i, a[b or c] in d]


async def g(a, b):
    a.u, b[await c or d] = e
    async for a.u, b[c and d] in e:
        h()
    async with a as (b.u, c[d or e]):
        h()
