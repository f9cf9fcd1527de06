def loop(map, count, poll_fun):
    if count is None:
        while map:
            poll_fun(map)
    else:
        while map and count > 0:
            poll_fun(map)
            count = count - 1

def loop2(map, count, poll_fun):
    if count is None:
        while map:
            poll_fun(map)
        return None
    while map and count > 0:
        poll_fun(map)
        count = count - 1

def digest(a, b):
    while True:
        size = a(b)
        if size == 0:
            break
        a.update(b)
    return a

def poll(obj, xs):
    for x in xs:
        obj = x.get()
        if obj is None:
            continue
        obj.read()

def incref(self, x):
    with self.mutex:
        try:
            self.a[x] += 1
        except KeyError as ke:
            if x in self.b:
                self.b[x] = 1
            else:
                raise ke

def evalp(sel, lst):
    new = lst
    if isinstance(sel, str):
        try:
            rex = comp(sel)
        except Err:
            msg = 1
            return new, msg
        new = []
        for f in lst:
            if rex(f):
                new.append(f)
    return new, msg

def recv(self, conn):
    try:
        if isinstance(conn, str):
            ov.a(conn)
        else:
            ov.b(conn)
    except BrokenPipeError:
        return self._result(b"")

    def finish_recv(ov):
        return ov.x
    return self._register(finish_recv)


def managed(a, b, c):
    with a as conn:
        b(conn)
        if c is not None:
            conn.unwrap()
    return a.x()
