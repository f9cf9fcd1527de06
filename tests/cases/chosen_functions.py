def of_methods(a, b, c):
    return a.math.real(c) if b else a.math.imag(c)


def in_a_with(a, b, c):
    with d:
        return a.real(c) if b else a.imag(c)


def before_the_call(a, b, c):
    return (a if b else c)(d)


def of_a_chosen_object(a, b, c):
    return (a if b else c).d
