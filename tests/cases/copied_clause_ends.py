# The compiler repeats the end of a clause on every way out of a chain of comparisons, with or without a line.
try:
    one()
except ValueError as error:
    if low < error.value == high:
        pass
after

try:
    one()
except ValueError as error:
    while low < error.value == high:
        step()


class After:
    pass


try:
    one()
except ValueError as error:
    if low < error.value == high:
        pass


def after():
    pass


try:
    one()
except ValueError:
    show(1 >= value == other)
    try:
        raise
    except OSError:
        raise ValueError


def clauses_apart():
    # two clauses that go on in one place are left each for itself
    first = ""
    try:
        one()
    except OSError:
        if given:
            pass
    else:
        try:
            two()
        except ValueError:
            three()
    last()
