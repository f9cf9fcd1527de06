{n3 for n5 in n0}.n4 = () = a
(lambda: n3)[n2] = (n2 and n0).n0 = a
n3[n1 and n0] = a[None] = a
x = [a for b in c][0] = y
x = y[a or b] = z.w = c if d else e
f((x := a), b if c else d, (y := b) or c)


def inside():
    x = y[a or b] = z.w = c if d else e
    f((x := a), b if c else d, (y := b) or c)
    x = y[[i for i in z if i or j]] = a or b
