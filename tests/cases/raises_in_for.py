def clauses(items):
    for item in items:
        try:
            if first(item):
                second(item)
            else:
                raise
        except Problem:
            if third(item):
                break
        else:
            raise item
    with fourth:
        fifth


for item in first:
    try:
        second(item)
    except Problem:
        if third:
            break
    else:
        raise item
with fourth:
    pass
