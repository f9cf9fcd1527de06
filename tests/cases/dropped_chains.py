# since: 3.10
def f3():
    try:
        a
    except E:
        b
    finally:
        z < c in e
def f4():
    z < c in e
    y
def f5():
    try:
        a
    except E:
        z < c in e
        b
def f6():
    if x:
        try:
            a
        finally:
            z < c in e
    b
def f1(*args):
    match a:
        case C() as p17:
            match b:
                case C(x={'k': True}):
                    return a
def f2(*args):
    match a:
        case D():
            match b:
                case {'k': True}:
                    return a
def f3(*args):
    match b:
        case {'k': True}:
            return a
