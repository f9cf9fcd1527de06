# since: 3.10
class C:
    try:
        a
    finally:
        match a:
            case p if a:
                b
            case []:
                c


def f():
    try:
        a
    finally:
        match a:
            case p if a:
                b
            case []:
                c
