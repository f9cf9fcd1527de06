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
