# since: 3.12
def case_k2(*args):
    try:
        return a
    finally:
        type A = a
        try:
            a
        finally:
            raise a
