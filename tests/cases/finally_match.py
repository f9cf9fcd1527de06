# since: 3.10
def case_m1():
    try:
        for d in a:
            pass
    except a as e:
        return a if x else a
    finally:
        match h:
            case C() as p9:
                a[a] <<= a
    return a
