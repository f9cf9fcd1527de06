def plain(x):
    with x as y:
        a
        b
    raise c


def behind_a_try(x):
    with x as y:
        try:
            a
        except E:
            b
    raise c
