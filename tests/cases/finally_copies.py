def with_inside():
    try:
        return a
    finally:
        with g:
            pass


def with_around():
    try:
        with a:
            return z
    finally:
        assert not b


def try_inside():
    try:
        return b
    finally:
        try:
            return y
        except E as e:
            g **= a


def loops_inside():
    for d in a:
        try:
            return a
        except a:
            pass
        except:
            return y
        finally:
            for x in z:
                pass


def captured(b):
    try:
        a
    except E:
        return lambda: d
    finally:
        d = lambda x=1: b


def asserted():
    assert a not in b < c, d


def repeated():
    try:
        import os
    finally:
        y[1:2] /= b if a else c
