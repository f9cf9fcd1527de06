def beside():
    return (a := b) * (a if x < c != y else d)


def called():
    return g((a := b), a if x < c != y else d)


def slices():
    a[1:2] **= (a := b) * (a if x < c != y else d)


def tested():
    if (a := g) / (g if x <= y != c else b):
        x[y:1] /= a
