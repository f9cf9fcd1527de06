# differs: where control was going does not matter
def raises(args):
    try:
        if z:
            return a
    except:
        c ^= a
    else:
        return lambda **kw: 1000000
    finally:
        raise z


def returns():
    try:
        f()
    finally:
        return g


def returns_none():
    try:
        f()
    finally:
        return


def nested(b, z):
    try:
        if () >= (1000000 not in b):
            try:
                return z ** 'ab'
            finally:
                assert c
    finally:
        return 'ab' & b


class A:
    try:
        if x:
            y
    finally:
        raise z
