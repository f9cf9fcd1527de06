# since: 3.10
def f1():
    match a:
        case []:
            match a:
                case {"k": {"k": a}}:
                    b
