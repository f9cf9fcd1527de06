def sets():
    try:
        b()
    finally:
        z = {i for j in y} if a else a


def lists():
    try:
        b()
    finally:
        z = [i for j in y for k in j] if a else a
    c()


def loops():
    for x in y:
        try:
            b()
        finally:
            z = [i for j in y] if a else a


def names():
    try:
        b()
    finally:
        z = x if a else a
