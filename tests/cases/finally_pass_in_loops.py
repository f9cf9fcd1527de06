# since: 3.11
def in_a_try():
    x
    try:
        while a:
            try:
                b = a
            finally:
                pass
    except E:
        pass


def in_two():
    try:
        for a in b:
            try:
                c
            finally:
                pass
    finally:
        d
