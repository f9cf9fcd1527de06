# since: 3.10
def wildcard_first(a, g):
    match a:
        case _ if g:
            x
        case 1:
            y


def captured_last(a, g):
    match a:
        case p if g < a < 3:
            x
        case q:
            y


def chosen_subject(a, b, c, g):
    match a if b else c:
        case _ if g:
            x
        case []:
            y


def in_the_middle(a, g, h, i):
    match a:
        case C():
            x
        case _ if g and h or i:
            y
        case 1:
            z


def stored_after_a_chain(a, b, c, d):
    match a:
        case []:
            x
        case p if b >= c >= d:
            k = m(z)
        case 1:
            raise x


def collects(a, g):
    match a:
        case "s":
            x
        case q if [z for z in g]:
            y
        case None:
            z


def collects_first(a, g):
    match a:
        case q if [z for z in g]:
            x
        case C():
            y


def never(a):
    match a:
        case C():
            x
        case q if False:
            pass
        case {"k": 1}:
            y
        case D():
            z


def goes_on(a, k):
    for l in k:
        match a:
            case None:
                continue
            case 1:
                x
        y


def in_a_gap(a, k):
    try:
        for l in k:
            match a:
                case "s":
                    x
                case None:
                    return y
    finally:
        w
