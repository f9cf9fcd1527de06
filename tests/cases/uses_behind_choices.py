def returned():
    return not a <= y < (x if d else y)


def twice():
    return not a <= y is b >= (x if d else y)


def added():
    return c + (a < b < (x or y))


class C:
    v = h is a != (d if x else a)


def stored_in_what_is_loaded_with_the_choice(self, r=None):
    self.x = 1
    self.r = r if r is not None else f(4)


def stored_in_either(self, r=None):
    self.r = r if r else f(4)
