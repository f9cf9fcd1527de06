(a := b).c += a
(a := b)[c] += a
(a := (d := b)).c.d -= a
def f():
    (a := b).c += a
    x = (a := b).c = y
    z[(a := b)] *= a
