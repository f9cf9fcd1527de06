x = (a if y else a and d) or z
x = (a or b if y else a and d) or z
x = (a if y else b or c) and z
b(x)


def f():
    x = (a if y else a and d) or z
    if (a if y else b and c) or d:
        return x
    return (a.b if y else a.c and d) or z
