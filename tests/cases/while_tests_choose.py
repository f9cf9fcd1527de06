while f(x if y else z):
    if a:
        continue
b
while a and g(a < b < c, d or e).f:
    if d:
        continue
    h()
while (x if y else z) < w < v:
    for i in j:
        if k:
            break
    else:
        continue
    h()
while [c for c in d if e] and (x or y)(z):
    try:
        d()
    except E:
        continue
    h()
def function(x, y, z):
    while (w := f(x or y)) is None or f"{x or y}":
        if w:
            continue
        z()
