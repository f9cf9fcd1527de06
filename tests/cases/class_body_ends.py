class MyClass(metaclass=Meta):
    a = 1
    with g(TypeError):
        a = 2  # duplicate
    with g(ValueError):
        _a_sunder_ = 3
