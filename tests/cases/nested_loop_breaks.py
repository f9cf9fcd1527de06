def else_of_both():
    for ch in a:
        for i in range(b):
            if ch.isspace():
                x = 1
                if x:
                    break
            p = 3
            if p and q:
                break
        else:
            continue
        break
    else:
        z()
    return w


def out_of_both():
    for ch in a:
        for i in b:
            if i:
                break
        else:
            continue
        break
    w()


def something_between():
    for ch in a:
        for i in b:
            if i:
                break
        else:
            continue
        foo()
        break
    else:
        z()
    w()


def while_around():
    while a:
        for i in b:
            if i:
                break
        else:
            continue
        break
    else:
        z()
    w()


def three(a, b, c):
    for x in a:
        for y in b:
            for z in c:
                if z(x, y):
                    break
            else:
                continue
            break
        else:
            continue
        break
    else:
        a()
    b()
    c()


def rest_behind(a, b):
    for x in a:
        for y in b:
            if y:
                break
        else:
            x()
            continue
        break
    return x


def under_if(a, b):
    for x in a:
        if x:
            for y in b:
                if y:
                    break
            else:
                continue
            break
    return x
