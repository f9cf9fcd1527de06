def compared():
    while a == (b if c else d):
        if e:
            continue
        f


def between():
    while a and b == (c if d else e) and f:
        if g:
            continue
        h


def in_front():
    while (a == (b if c else d) or e) and f:
        if g:
            continue
        h


def called():
    while a(b or c):
        if d:
            continue
        e


def chained():
    while a(b or c) < d < e(f and g):
        if h:
            continue
        i


while a(b or (c if d else e)) and (f if g(h or i) else j):
    if k:
        continue
    l
m
