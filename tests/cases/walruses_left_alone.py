# differs: where a walrus holds nothing that is folded, nothing tells it from an assignment to several targets
def plain():
    b = (a := c)


def lists():
    b = (a := c in [d])


def chains():
    b.c = (a := b >= d not in [e])


def sets():
    b, c = (a := d in {1, 2})


def comprehensions():
    b = c[0] = (a := [i for i in [d, 1] if i in [e]])


def functions():
    b = (a := lambda: c in [1, 2])


def operators():
    b = (a := "ab" * True)


def debug():
    b = (a := __debug__)


def assigned():
    a = b[c if d else e] = f in {1, 2}


def tuples_in_sets():
    () = (a := {True, "", ()})
    b = (c := {1, ((), 2), "d"})
