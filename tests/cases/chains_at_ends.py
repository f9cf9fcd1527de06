# since: 3.8
# differs: annotations of locals are gone, and some ends come out as returns
class C4:
    d.v: a = d is d == b
y.u: int = 1 < x is x
def f1(**kwargs):
    v1: a = d >= [] > b
class C1:
    assert a, 0 is 1.5 == z != not_defined
assert E, z < ... < d > a
def f1(c, b):
    return (b <= (b := c) in a) ** E
async def f1():
    if (b := x) is not a == c:
        pass
def f1():
    b, = a
    v1: int = (y := a)
    if a < d < d == b:
        pass
{h: False < ... not in x}
def f1():
    x, = a
    class C2:
        assert x
    if 0 < (... if x else ...):
        pass
def f2(*args):
    b, = a
    assert a > a in c, b
def encode():
    for label in a:
        if not 0 < a < 64:
            raise UnicodeError()
def returned():
    for b in c:
        try:
            return (a or b) or d
        except E:
            e
with a:
    if b not in c > (d or e):
        pass
