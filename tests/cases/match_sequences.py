# since: 3.10
def sequences(x):
    match x:
        case []:
            return 0
        case [a]:
            return a
        case [a, b, 3]:
            return a + b
        case [first, *rest]:
            return first, rest
        case [*start, 1, last]:
            return start, last
        case [_, [a, *_], _]:
            return a
        case [_, _, _, _, *_]:
            return 4
        case [*_]:
            return None


def indexed(x):
    match x:
        case [1, *_, 2]:
            return "ends"
        case [1, (2 | 3) as second, *_]:
            return second
        case [[a, b] as pair, *others] as whole:
            return a, b, pair, others, whole
    return "nothing"
