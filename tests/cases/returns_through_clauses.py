# since: 3.9
def chosen(p, n, c, t, z):
    try:
        p()
    except OSError as ex:
        try:
            n()
            if c:
                return ex() if t else n
        except ValueError:
            pass
        z()
