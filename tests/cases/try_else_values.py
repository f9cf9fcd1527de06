def chosen(c, a, x):
    try:
        try:
            c.u
        except ValueError:
            print(x)
        else:
            return a.b and a.c
    except KeyError as e:
        x.v = e
    return x


def else_returns():
    try:
        b()
    except E:
        pass
    else:
        return (c.d(),)
    raise F
