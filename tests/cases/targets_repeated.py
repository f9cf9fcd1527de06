def twice():
    a, a = b(), c()
    return a


def beside_another():
    a, d, a = b(), c(), e()
    return a


def before_a_comprehension():
    a, a, a = b(), c, [i for i in d]
    return a


def of_a_choice():
    a, a = b, c if d else e
    return a
