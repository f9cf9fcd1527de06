def raises():
    with first:
        second
    third
    raise fourth


def returns():
    with first:
        second()
    third
    return fourth


def clause():
    try:
        first()
    except second:
        third()
    fourth
    raise


def named():
    try:
        first()
    except second as problem:
        third(problem)
    fourth
    return fifth


def looped():
    while True:
        with first:
            break
    for item in second:
        third


try:
    first()
except second as problem:
    third()
fourth
raise fifth
