async def f1():
    try:
        async for c in [a for i in a if 1 < a is None]:
            pass
    finally:
        b
def f2():
    try:
        for c in [a for i in a if 1 < a is None]:
            pass
    finally:
        b
def f3():
    try:
        x = [a for i in a if 1 < a < b]
    except E:
        b
