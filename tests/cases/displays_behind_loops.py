"""An empty display that is returned past the loop of a `finally` lies below its iterator, as one that a comprehension fills does."""


def left_manager(a, b):
    with a as c:
        try:
            if c():
                return {}
        finally:
            for d in b:
                d.close()


def out_of_a_clause(a, b):
    with a:
        try:
            b()
        except a.Error:
            return []
        finally:
            for b.x in a:
                raise a


def comprehension_in_the_loop(a, b):
    with a:
        try:
            if b:
                return []
        finally:
            for d in b:
                a([i for i in d])


def out_of_a_loop(a, b):
    for c in a:
        with c:
            try:
                if b:
                    return {}
            finally:
                for d in b:
                    d()


def comprehension(a, b):
    with a:
        try:
            return [c for c in b]
        finally:
            for d in b:
                d()
