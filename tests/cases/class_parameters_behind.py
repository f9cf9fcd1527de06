# since: 3.12
async def finally_around(*args):
    try:
        return x
    except E as e:
        class C[T]:
            pass
    finally:
        if d > a.__private:
            pass


def in_a_try():
    with x as y:
        try:
            class C[T]:
                pass
        except a:
            b
    raise d


def private_names():
    try:
        class C[T]:
            a.__x
    finally:
        a.__y = 3
        import __k
        from __k import __j as __l
        b.__x
