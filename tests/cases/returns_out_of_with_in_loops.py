def follows(w):
    for q in w:
        with a:
            if not b:
                return None
            c()
    d()


def repeats(w):
    while w:
        with a:
            if not b:
                return None
            c()
        e()
    d()


def breaks(w):
    for q in w:
        with a:
            if not b:
                break
            c()
    d()
