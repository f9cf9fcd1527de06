# since: 3.11
def goes_on():
    if a:
        try:
            assert False
        except* E as e:
            raise c
    else:
        assert E
    x


def repeats():
    while c:
        try:
            return a
        except* E as e:
            raise a


def cleans_up():
    try:
        a
    except* E:
        a
    finally:
        for y in a:
            return a


def defines():
    try:
        E
    except* E as e:
        d %= a
    finally:
        def f4(x=1):
            a
