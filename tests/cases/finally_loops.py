# differs: a value may be returned through a temporary
def case_k3(a):
    try:
        y
    except:
        return
    finally:
        try:
            for c in a:
                return
        finally:
            [d]
    return a.u


def case_k4():
    try:
        return x
    except a as e:
        try:
            return {}
        finally:
            try:
                d.u /= a
            except E:
                [a for i in z]


def case_k6():
    try:
        with b as a:
            return E
    finally:
        while True:
            del z.v
            if a:
                break


def case_k7():
    try:
        assert a
    except E as e:
        return lambda **kw: b
    finally:
        while g:
            try:
                del E._w
            except:
                continue


def case_k8():
    try:
        with a:
            return a if a else h
    finally:
        with a as ():
            pass
        del x[0]


def case_l1(z, d: int, x: int = d):
    try:
        return {[i for (i, a) in y]}
    finally:
            try:
                b.__private = b[-1:d]
            except E as e:
                return (0 if not not not_defined == z else b'bytes')


def case_p2():
    try:
        if not_defined:
            pass
    except E as e:
        try:
            assert a
        except E as e:
            return x.u()
        finally:
            from os import path
            for a in a:
                return (a := c[()]) - (a := z)


def case_p5():
    try:
        class C2:
            pass
    finally:
        {True: a for i in a}
    return {}
