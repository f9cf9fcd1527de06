[a][b] += c
[a, b][c] -= d
(a, b)[c:d] *= e
[a].b += c
a[[b], c] += d
a[[b] : [c]] += d
{a}[b] += c
{a: b}[c] += d
def f(a, b):
    [a][b] += c
    [a][b:c] += d
    (a, b)[a] -= c
    [*a][b] += 1
    [a for a in b][0] += 1
