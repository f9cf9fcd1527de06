# since: 3.12
def braces():
    return f"{a:{{}}}", f"{a:x{{1: 2}}{{}}}", f"{a:{b}{{2}.c!r:{{}}}}", f"{a:{{}}}{ {} }"


def spaces():
    return f"{a:{ {}}}", f"{a:x{ {1: 2}}{ {}}}", f"{a:{b}{ {2}.c!r:{ {}}}}"
