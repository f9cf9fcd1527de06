def attribute():
    try:
        a
    except b as e:
        c
    else:
        z.x |= 1 if not d else y
    raise


def item():
    try:
        a
    except b as e:
        c
    else:
        z[k] = m.n = 1 if not d else y
    raise


def local(z):
    try:
        a
    except b as e:
        c
    else:
        z |= 1 if not d else y
    raise
