def hides(a, *args):
    if a:
        a[a] %= [i for (a,) in a]


def between():
    try:
        if a < [i for (j,) in E] < b:
            return 1
    except a as e:
        pass
