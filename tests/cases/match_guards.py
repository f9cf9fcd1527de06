# since: 3.10
def chooses(*args):
    match a:
        case []:
            a
        case p9 if b"bytes" == (g if c else z):
            d
        case 1:
            e


def chooses_at_once(*args):
    match a:
        case p9 if (g if c else z).x:
            b
        case q if f(c or d):
            x
        case [1, 2]:
            c


def never(h):
    match a:
        case 1:
            b
        case {"k": []} if False:
            pass
        case 2:
            c
        case {"k": x} if z and False:
            pass
        case 3:
            a
    return 1


def never_without_a_drop(y):
    match x:
        case 0 if False:
            pass
        case 0:
            y = 1
    y.z(1)
