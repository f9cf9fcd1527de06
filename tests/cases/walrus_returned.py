def f1(**kwargs):
    try:
        with a as z.u:
            pass
    except:
        return (y := None) if a else a
async def f2():
    try:
        v1 = a
    except:
        return x if z else (a := a)
