# since: 3.10
def w1():
    match (a := x):
        case a.c | None:
            y


def w3():
    def f3(*args, **kwargs):
        match (d := d):
            case 't' | []:
                return 1
            case _:
                lambda **kw: d


def w5():
    match x:
        case a if a.c:
            y
        case 3:
            z


def w6():
    match x:
        case a if a.c:
            y
        case b if b.c:
            y
        case [3, c]:
            z
