# since: 3.14
# The annotation of an attribute is never evaluated, but what it names is captured by the function that computes the others.
class Plain[T]:
    one: int
    other.attribute: T = value


class Conditional[T]:
    if given:
        other.attribute: T = value
    one: int


def around(kind):
    class Inner:
        one: int
        other.attribute: kind = value
