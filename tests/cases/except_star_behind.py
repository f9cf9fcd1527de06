# since: 3.11
def breaks_inside():
    try:
        import os
    except* E as e:
        for b in a:
            if a:
                b |= a
                break


def leads_elsewhere():
    with a as d:
        try:
            a
            return None
        except* E as e:
            raise a
    if a:
        return None


def copied_asserts(d):
    for d[a] in a:
        try:
            import os
        except a as e:
            try:
                raise b
            except* E as e:
                a
        finally:
            assert c


def loop_in_body():
    for c in a:
        try:
            for d in c:
                if d:
                    break
        except* a:
            pass
        else:
            for e in c:
                break
        break
    assert a
