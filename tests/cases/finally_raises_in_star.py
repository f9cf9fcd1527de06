# since: 3.11
def loop_else():
    try:
        raise
    except* E:
        try:
            b
        except:
            for y in a:
                break
            else:
                z
        finally:
            raise a


def loop_else_behind():
    try:
        raise
    except* E:
        try:
            b
        except:
            for y in a:
                if b:
                    break
                c
            else:
                z
            d
        finally:
            raise a
