def returns_out_of_loops():
    try:
        while y:
            for z in a:
                return a
    finally:
        try:
            while z < d != c:
                pass
            raise a
        except a as e:
            b
        finally:
            x
    E


def returns_out_of_loop():
    try:
        while y:
            if z:
                return a
    finally:
        try:
            while z < d != c:
                pass
            raise a
        except a:
            b
        finally:
            x
    E
