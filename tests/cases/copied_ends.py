# differs: in-place operators of a class body and tests that decide nothing
class Body:
    y |= c is not b is None
    assert y, x or 255 or b
    a(a if b or 255 else x, k=a)


class Message:
    assert a, c in z <= ''


class Choice:
    y = (not b or g) or 2j or a


def returned():
    return a or h < c != E


def tested():
    x[y:1] += a if (y or y) or 1 else x
    c.v <<= lambda: x if z else x


def captured():
    if (c := 0) == a is None:
        pass


def left():
    try:
        a
    except (F,) as e:
        pass
    except:
        if a is [] not in d:
            b


class Chain:
    1.5 not in a == a


def cleaned_up(a):
    try:
        del h._w
    except a as e:
        try:
            return lambda: a
        finally:
            if E:
                pass
