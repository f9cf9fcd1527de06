# since: 3.11
# differs: except* and finally become one statement
def case_m4():
    try:
        try:
            a
        except* E:
            a
    finally:
        match a:
            case []:
                c
    pass


def case_k5():
    try:
        a
    except* E as e:
        assert False
    finally:
        for y in a:
            return
