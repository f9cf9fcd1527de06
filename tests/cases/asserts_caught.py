try:
    assert not bool(a)
except AssertionError as b:
    print("fails: %s" % a)
    raise b from None


class C:
    try:
        assert d, e
    except AssertionError:
        raise AssertionError(3)
    if f:
        raise AssertionError


def raised(a):
    if a:
        b(a)
        raise AssertionError("no")
    try:
        assert a
    except AssertionError:
        raise AssertionError
