if not a:
    raise AssertionError("x")
