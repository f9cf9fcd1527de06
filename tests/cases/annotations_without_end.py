# since: 3.14
# differs: a class that never ends computes no annotations, so that any will do
class Raises:
    try:
        raise f()
    finally:
        v: a = (a and a) or a
        w: int = 1


class Numbered:
    if 0:
        x: int
        y: int = 1
    if z:
        v: a
    else:
        w: a = 2
    while True:
        b[1]: int = 3


def captures(x, y, z):
    class Captures:
        if x:
            v: y
            w: z = 1
        raise x
