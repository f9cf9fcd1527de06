# since: 3.11
try:
    assert a
except* E:
    if not (b if z else a) or 1 in b >= y:
        assert a
