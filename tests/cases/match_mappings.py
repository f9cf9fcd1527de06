# since: 3.10
def mappings(x):
    match x:
        case {"a": 1}:
            return 1
        case {"a": a, 2: [b, *_], None: {"inner": c}}:
            return a, b, c
        case {Key.name: value, **rest}:
            return value, rest
        case {"x": None, "y": str() as y, **others} if others:
            return y
        case {**everything}:
            return everything
        case {}:
            return "never"


def empty(x):
    match x:
        case {}:
            return "mapping"
        case _:
            return "other"
