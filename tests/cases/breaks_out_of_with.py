"""`break` as the only way on from a `with`: where the manager swallows an exception, the loop goes on."""


def followed_by_if():
    while True:
        with z as ():
            break
    if a:
        b()
    c()


def in_a_loop(x):
    for y in x:
        while True:
            with y as z:
                if z:
                    z()
                break
        y.last()


while True:
    with z as ():
        break
if a:
    pass
