class MyClass(metaclass=Meta):
    a = 1
    with g(TypeError):
        a = 2  # duplicate
    with g(ValueError):
        _a_sunder_ = 3


class WithLast:
    def f(self):
        super().f()

    with x:
        pass


class TryLast:
    def f(self):
        super().f()

    try:
        a()
    except E:
        b()
