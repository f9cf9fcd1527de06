def m(names, flags):
    for seq in range(TMP_MAX):
        name = next(names)
        try:
            fd = open(name, flags)
        except FileExistsError:
            continue
        except PermissionError:
            if nt and isdir(dir):
                continue
            else:
                raise
        return fd, name
    raise FileExistsError("x")
def p():
    for x in 'pq':
        for y in '01':
            n = '/dev/pty' + x + y
            try:
                fd = os.open(n, os.O_RDWR)
            except OSError:
                continue
            return fd, '/dev/tty' + x + y
    raise OSError('out of pty devices')
def q(a, b):
    for x in a:
        for y in b:
            if y.t(x):
                break
        else:
            continue
        return x, y
    return g(a)


def a_choice(a):
    for b in a:
        return c(b) and d


def a_choice_behind_a_test(a):
    for b in a:
        if b:
            return c.x(b) if d else c.y(b)
        return b or e
