def folded_elsewhere(a):
    (x := a in b)
    (x := (y := a))
    return x
