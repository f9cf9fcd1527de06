# since: 3.10
def one_value_and_the_rest(x):
    match x:
        case 1:
            y = 0
        case _:
            y = 1
    return y


def a_subject_over_lines(x):
    match x.y(
        3,
    ):
        case None:
            return 1


def a_guard(x):
    match x:
        case A.B if x.c and x.d:
            z()
    return 2


def ifs_over_lines(x):
    if (x.aaa
            == 1):
        return 1
    if (
        x
        is None
    ):
        return 3
    if (x.a(
        4) == 1
        and y):
        return 4
    if x(1,
         2) is None:
        return 5
    if x.y(1).z(
        2).w == "a":
        return 6
    if [a
        for a in b] == 1:
        return 7
    if x[
        3
    ] == 4:
        return 8
    if (a +
        b == 3):
        return 9
    return 2


def one_behind_the_other(x):
    match x:
        case -1.5:
            return 1
    match x, y:
        case "a":
            return 3
        case _:
            return 2
