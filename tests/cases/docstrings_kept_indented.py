# since: 3.13
class Indented:
    __doc__ = """\
    When true, say so.

    Otherwise do not.
    """


class First:
    __doc__ = "  a\n    b"


class Tab:
    __doc__ = "\ta"


class Nothing:
    __doc__ = " "
