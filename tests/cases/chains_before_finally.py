# The copy of a short `finally` body stands behind every end of a chain.
def returned():
    try:
        return one is not two != three not in four
    finally:
        raise Problem


def tested():
    try:
        if low <= middle < high == top:
            pass
    finally:
        raise Problem


try:
    if low <= middle < high:
        pass
finally:
    raise Problem
