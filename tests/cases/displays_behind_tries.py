def lists():
    try:
        a
    finally:
        try:
            b
        except E:
            c
        return [*d, f if g else h]


def dicts():
    try:
        a
    finally:
        try:
            b
        except E:
            c
        return {**d, e: f if g else h}
