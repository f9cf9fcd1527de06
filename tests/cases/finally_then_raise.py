# since: 3.11
# differs: a return at the end of a clause may be written in it or behind it
def f1():
    try:
        d
    except F as e:
        return 1 if E else y
    finally:
        try:
            x
        except G as e:
            assert b
    raise a
def f2():
    try:
        d
    except F as e:
        return 1 if E else y
    finally:
        try:
            x
        except G:
            assert b
    raise a
def f3():
    try:
        d
    except F as e:
        return 1 if E else y
    finally:
        try:
            x
        except G:
            z
    raise a
def f4():
    try:
        return 1 if E else y
    finally:
        try:
            x
        except G as e:
            assert b
    raise a
