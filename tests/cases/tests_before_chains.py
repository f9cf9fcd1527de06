def passed(a):
    return g(b, (z if a or True else None) < k < l)


def updated(y):
    y[a] -= (z if a or True else None) < k is not (y := 1)


def through_a_loop(x):
    for c in x:
        for a in b:
            with a:
                pass
        try:
            return y >= d not in e not in c
        except E:
            f
