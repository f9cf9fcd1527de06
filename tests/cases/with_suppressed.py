def constant():
    with a as y._w:
        return 1
    import os


def nothing():
    with a:
        b
        return None
    import os
