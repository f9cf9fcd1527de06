def drops_for_what_is_returned(z, d):
    with c as x:
        try:
            return d
        finally:
            for z in d:
                return False
            z = d


def returns_under_another_handler():
    try:
        a
    except a as e:
        if not z:
            return b.c
    finally:
        try:
            for x in i:
                return sum()
        except E:
            pass
