# The compiler repeats what follows on every way out of the statements before it; one of them leaves a clause.
if a:
    try:
        b
    except C:
        c
d
del e


def returns():
    if a:
        try:
            b
        except C as e:
            c
    d
    return e


def twice():
    if a:
        try:
            b
        except C:
            c
    else:
        try:
            d
        except D:
            e
    f
    return g


if a:
    try:
        b
    except C:
        c
else:
    try:
        d
    except D as e:
        e
f
del g
