class Chained:
    name = __doc__ = "a"


class Number:
    __doc__ = 5


class Bytes:
    __doc__ = b"a"


class Written:
    """a

      b
    c
    """
