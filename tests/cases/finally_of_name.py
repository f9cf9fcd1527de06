def forgets():
    try:
        raise
    finally:
        t = None
        del t


def forgets_twice(a):
    try:
        z
    except E as t:
        try:
            b
        finally:
            t = None
            del t
        c
