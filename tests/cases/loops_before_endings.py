async def exhausted():
    try:
        class C2:
            pass
    except a as e:
        a
    else:
        for z[a] in a:
            if not {b: c async for i in c}:
                break
        import os.path
