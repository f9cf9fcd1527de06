def first_goes_on(lines):
    for line in lines:
        line = line.strip()
        if not line or line.startswith('#'):
            continue
        key, sep, value = line.partition('=')
        if not sep or not key or value is None:
            continue
        yield key, value


def in_while(a):
    while a:
        b = a()
        if b is None or b in c:
            continue
        if b.d:
            b.e()
        a = b
