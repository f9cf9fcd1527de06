# differs: a return of nothing stands for falling off the end
def chosen(c, a, x):
    try:
        try:
            c.u
        except ValueError:
            pass
        else:
            return a.b and a.c
    except KeyError as e:
        x.v = e
