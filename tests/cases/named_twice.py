def named(h, b, d):
    h[b:1,] += (a := (c := d.x))
    if (e := (f := a.y)) > 1:
        return e, f
    return c


class Names:
    if (first := (second := source.x)) > 1:
        third = first
