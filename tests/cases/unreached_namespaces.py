# since: 3.12
# differs: what is never reached is declared in another way
class C2:
    c
    raise x
    def f2():
        pass
class C3:
    lambda: 0
    raise x
    def f2():
        pass
class C3:
    lambda: 0
    if x:
        a.b = 3
    raise x
    def f2():
        pass
class C3:
    lambda: 0
    if x:
        a.b = 3
    raise x
    def f2[T]():
        pass
class C3:
    def g(): pass
    if x:
        a.b = 3
    raise x
    def f2[T]():
        pass
class C4:
    a.b: int = 4
class C5:
    if x:
        a.b: int = 4
class C6:
    if x:
        raise y
        x: int = 3
class C7:
    raise y
    x: int = 3
def f():
    class C:
        raise b
        def g(): a
class C3[T]:
    def f3(*args):
        v0: T
def f[T]():
    v0: T = 3
    def g(): v1: T.x
class C:
    def f[T](T): v0: T = 3
def f[T, *U]():
    class D:
        raise
        T
class C8:
    v1: int = a
    raise a
    def f2[T]():
        pass
class C9:
    d.e = a
    raise a
    def f2[T]():
        pass
