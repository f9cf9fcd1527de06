# since: 3.10
match a:
    case None:
        if b == c.d:
            pass
    case e() | f():
        raise g
match a:
    case e() | f():
        h
    case {"i": j} | {"k": j}:
        raise j
