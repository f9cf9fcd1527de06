for c in a:
    break
else:
    raise a


class Body:
    for c in a:
        if c:
            break
        c
    else:
        raise a
