def a(ranges):
    for begin, end in ranges:
        lineno = f(begin)
        while lineno < end:
            lines.append(lineno)
            lineno += 1
def c(self):
    while self._buffer:
        data, addr = self._buffer.popleft()
        try:
            self._sock.send(data)
        except OSError as exc:
            self.x(exc)
            return None
    self.done()
def b(path):
    seen = set()
    while normcase(path) not in seen:
        seen.add(normcase(path))
        try:
            old_path = path
            path = _nt_readlink(path)
            if not isabs(path):
                if not islink(old_path):
                    path = old_path
                    break
                path = normpath(join(dirname(old_path), path))
        except OSError as ex:
            if ex.winerror in allowed_winerror:
                break
            raise
        except ValueError:
            break
    return path
def d(header):
    for line in header.splitlines():
        parts = ecre.split(line)
        first = True
        while parts:
            unencoded = parts.pop(0)
            if first:
                first = False
            if unencoded:
                words.append((unencoded, None, None))
            if parts:
                charset = parts.pop(0).lower()
                words.append((encoded, encoding, charset))
def e(a, b, post):
    while a[:post or None] and b[:post or None] and a[post - 1] == b[post - 1]:
        post -= 1
    return post
def g(file, line):
    while line[:1] == '#' or not line.strip():
        line = file.readline()
        if not line:
            break
    return line
def h(n):
    while n is not None:
        if n.kind not in Kinds:
            break
        L.insert(0, n.data)
        n = n.previous
    return L
def written_twice(c, j):
    if c == '>':
        return j + 1
    while True:
        j = f(j)
        c = g(j)
        if c == '>':
            return j + 1
