# since: 3.14
# differs: parentheses that change nothing are not all kept
async def f4():
    (a or b) or True
async def f5():
    (a or b) or c
async def f5():
    (a or b) or c
    return 3
def f5b():
    try:
        (a or b) or True
    except E:
        (a and b) and True
def f6():
    while a:
        try:
            (a or b) or True
        except E:
            (a and b) and True
def f():
    with a:
        for d in (a and a) and '':
            pass
def g():
    try:
        x = (a and b) and c and d
        x = c and (a and b) and c and d
        x = ((a and b) or c) or d
        x = ((a or b) or c) and d
        x = ((x if q else b) and c) and d
        x = [(a or b or c) or d for x in y]
        x = ((a and b) or c) and d
        x = ((a and b) and c) and d
        x = ((a < b < c) and c) and d
    except E:
        return (a and b) and c
def f3():
    yield 2j
    (not 0 and a) and g
async def f7():
    (('text' or b) and a) and d
def f8():
    x = ((1 or b) and (yield a)) and d
    y = ((b'' and b) or (yield a)) or d
def f9():
    try:
        return (a and b) and c or d < e < f
    except E:
        (y and a) and (x if b else z) or d
async def f10():
    return (c and a) and x or h == x > {i async for i in g}
async def f11():
    return (c and a) and x or h == x > [i for i in g]
def f12():
    try:
        return (a or {}) or (b if c else d)
    except E:
        x
def f13():
    try:
        a
    except E:
        x = (z and (b or 2j) and a) and c
        x = (z or (b and 0) or a) or c
    finally:
        x = (z and (b or 2j) and a) and c
