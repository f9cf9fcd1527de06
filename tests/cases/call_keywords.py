def m1(arg):
    f(1, a=2, **{arg: True})
def m2(arg):
    f(**x, **{arg: 1, 'b': 2}, **y)
def m3(arg):
    f(*a, **x, b=1, **y, **{'c d': 1}, e=3)
def m4(arg):
    f(**{arg: 1}, a=2)
def m5(arg):
    f(**{arg: 1, **z}, a=2, **{**z, arg: 1})
def m6(arg):
    f(**{'a b': 1, 'c': 2})
