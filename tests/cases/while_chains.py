def chain_or():
    while a < b < c or d:
        e()


def chain_and():
    while a < b < c and d:
        e()


def or_chain():
    while d or a < b < c:
        e()
