# since: 3.14
class InElse:
    if a:
        x = 1
    else:
        raise b
    y: c = 2


class InBody:
    if not a:
        raise b
    y: c


class Conditional:
    if a:
        x: d = 1
    else:
        raise b
    y: c = 2


class Asserted:
    assert a
    x = 3
    y: c


class Inside:
    if a:
        b
        if c:
            d
        else:
            raise e
        f
    else:
        raise g
    y: h
