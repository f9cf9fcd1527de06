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


def before_an_attribute():
    a, a, b.c = d(), e(), f()


def stored_on_the_way(x):
    a, a, x[0] = (a := b), (x := c()), x


def read_and_dropped(y):
    y, y, y.z = y, y.a, 1
