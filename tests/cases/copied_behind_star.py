# since: 3.11
if a:
    try:
        b
    except* C:
        c
else:
    d
e


def returns():
    if a:
        try:
            b
        except* C:
            c
    d
    return e


if a:
    try:
        b
    except* C:
        c
d
del e
