# differs: up to 3.12 nothing tells a docstring from one that is assigned; since 3.14 annotations are no part of a body
class Indented:
    __doc__ = """\
    When true, say so.

    Otherwise do not.
    """


class First:
    __doc__ = "  a\n    b"


class Chained:
    name = __doc__ = "a"


class Number:
    __doc__ = 5


class Bytes:
    __doc__ = b"a"


class Tab:
    __doc__ = "\ta"


class Nothing:
    __doc__ = " "


class Annotated:
    __doc__: str = "a"


class Written:
    """a

      b
    c
    """
