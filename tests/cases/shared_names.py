# since: 3.10
def f2(a, b):
    def f3():
        x = [(lambda: b) for b in a]
        y = [a for a in b if a]
        return x, a, b, y


def f4(a, b):
    def f3():
        nonlocal a
        y = [a for a in b if a]
        a = [b for b in a]
        return a, b, y


def four(**kwargs):
    a = E
    def f2(*args):
            nonlocal a
            if a:
                d[a] **= {a for k in j}
            else:
                a = a
            from . import k
