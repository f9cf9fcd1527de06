def never_repeated():
    while a:
        with a as c:
            return x
        for () in a:
            return d
