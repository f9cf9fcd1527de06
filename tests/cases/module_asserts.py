assert a, "x"
def f():
    assert b
