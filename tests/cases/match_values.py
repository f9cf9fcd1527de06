# since: 3.10
def literals(x):
    match x:
        case 1:
            return "one"
        case "a" | "b":
            y = 2
        case None:
            y = 3
        case True | False:
            y = 4
        case -1.5 | 2 + 3j | b"bytes":
            y = 5
        case Color.RED | module.Color.GREEN:
            y = 6
        case _:
            y = 7
    return y


def one_of_many(status):
    match status:
        case 400:
            return "Bad request"
        case 401 | 403 | 404:
            return "Not allowed"
        case 418:
            return "I'm a teapot"


def effects():
    match compute(1):
        case 1:
            a()
        case 2:
            b()
        case other:
            c(other)
    done()
