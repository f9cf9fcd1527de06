def f(a, b, c):
    for x in a:
        try:
            a(0)
        except E:
            b(0)
            continue
        c(0)
def g(a, b, c):
    for x in a:
        try:
            a(0)
        except E:
            b(0)
            continue
        try:
            a(1)
        except E:
            b(1)
            continue
        c(0)
def h(a, b, c):
    for x in a:
        try:
            a(0)
        except E:
            continue
        c(0)
        c(1)
def i(a, b, c):
    try:
        a(0)
    except E:
        b(0)
        return None
    c(0)
    c(1)
def j(a, b, c):
    try:
        a(0)
    except E as e:
        b(0, e)
        return None
    c(0)
    c(1)
def k(a, b, c):
    for x in a:
        try:
            a(0)
        except E as e:
            b(0, e)
            continue
        c(0)
        c(1)
def l(a, b, c):
    try:
        a(0)
    except E as e:
        b(0, e)
    else:
        c(0)
        c(1)
