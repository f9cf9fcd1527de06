def broken(self):
    while True:
        data = self.read()
        if lines:
            if a:
                b()
                if not keepends:
                    line = c
                break
            if d:
                line = g
                break
        if not data:
            break
        if readsize < 8000:
            readsize *= 2
    return line


def continued(paths):
    for path in paths:
        try:
            found = path()
        except E as error:
            if on_error is not None:
                on_error(error)
            continue
        found()


def behind_try(a):
    while True:
        try:
            b = a()
        except E as e:
            if c:
                a(e)
                continue
        except F as e:
            raise G from e
        break
    return b


def behind_with(names):
    for name in names:
        try:
            with a(name) as b:
                data = b()
            break
        except E:
            pass
    return data


def nested(rest):
    while rest:
        name, _, rest = rest.partition(sep)
        if name == pardir:
            if path:
                path, name = split(path)
                if name == pardir:
                    path = join(path, pardir, pardir)
            else:
                path = pardir
            continue
        g()


def both(rest):
    for x in rest:
        if x:
            if path:
                a()
            else:
                b()
            continue
        g()
