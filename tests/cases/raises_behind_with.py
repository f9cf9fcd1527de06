def again():
    try:
        a()
    except E:
        with b:
            c()
        raise


def named():
    try:
        a()
    except E as e:
        with b:
            del c[0]
        raise X from e


def alone(a, b):
    with a:
        del b[0]
    raise X(a)
