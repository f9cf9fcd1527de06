# since: 3.11
def a(x):
    if x:
        return 1
    else:
        return 2
def b(x):
    if x:
        return 1
    return 2
def c(x):
    if x == 1:
        return f(1)
    elif x == 2:
        y = 2
        return y
    elif x == 3:
        raise E
    else:
        y = g()
        z = 3
    return y + z
def d(x):
    for i in x:
        if i:
            continue
        elif i.x:
            break
        else:
            i.z()
        i.w()


def fixup(kids, x):
    while kids:
        node = kids.pop()
        if node.type == x:
            break
def exists(path):
    try:
        os.stat(path)
    except (OSError, ValueError):
        return False
    return True


def do_get(self):
    f = self.send()
    if f:
        try:
            self.copy(f)
        finally:
            f.close()


def of_try(obj, name):
    try:
        field = obj.get(name)
    except E:
        return missing(name)
    else:
        if field.name != name:
            return missing(field)
        if not field.many and not field.key:
            return must_be(name)
        else:
            return []


def behind_try(obj, name):
    try:
        field = obj.get(name)
    except E:
        return missing(name)
    if not field.many:
        return must_be(name)
    return []


def elif_not(a, b):
    if not a:
        return 1
    elif not b:
        return 2
    else:
        return 3


def parentheses(a, b):
    if a == b:
        return True
    elif (a.startswith(b) and
          (b.endswith("/") or a[0] == "/")):
        return False

    c("neither %s nor %s", a, b)
    return b


def a_loop_on_one_line(a, b):
    if not a:
        return None, b
    elif a[0] == "?":
        a = "help " + a[1:]
    i, n = 0, len(a)
    while i < n: i = i + 1
    return i, a


def a_test_of_not_among_others(a):
    for b in a:
        if b in c:
            return d(b)
        else:
            try:
                e = f[b]
            except KeyError:
                e = g(b)
            if e[1] is not None:
                return e[1]
            elif e[0] is not None:
                return e[0]()
    raise h
