def behind_finally(a):
    for d in a:
        try:
            f()
        finally:
            g()
        try:
            if a:
                b
            elif d:
                c
        except E:
            a
        return d


def behind_clauses(a):
    for d in a:
        try:
            if a:
                b
            elif d:
                c
        except E:
            a
        except F as e:
            b
        return d
