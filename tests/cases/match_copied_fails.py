# since: 3.10
def a1():
    try:
        raise z
    except a as e:
        match None:
            case C(x='s'):
                del c.p
def a2():
    try:
        match h:
            case C(x='s'):
                del c.p
    except:
        pass
def a3():
    try:
        try:
            raise z
        except a as e:
            match h:
                case C(x='s'):
                    del c.p
    except:
        pass
def a4():
    try:
        try:
            raise z
        except a as e:
            match h:
                case C(x='s'):
                    c
    except:
        pass
def a5():
    try:
        try:
            raise z
        except a as e:
            match h:
                case [1, 2]:
                    c
    except:
        pass
