# The last statement of a clause, behind a with: a short one is repeated where an exception was swallowed.
try:
    one
except Problem:
    with manager as two:
        pass
    del two


def returned():
    try:
        one
    except Problem:
        with manager as two:
            three
        del two
