# since: 3.11
def a_class():
    try:
        a
    except B as b:
        return c
    else:
        class D:
            pass


def a_function():
    try:
        a
    except B as b:
        return c
    else:
        def d():
            pass


def behind():
    try:
        a
    except B as b:
        return c

    def d():
        pass
