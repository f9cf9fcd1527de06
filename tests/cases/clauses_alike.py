# Clauses that do the same are clauses all the same.
try:
    one
except Problem:
    del two
except:
    del two


def returned():
    try:
        one
    except Problem:
        two = None
    except:
        two = None
    finally:
        assert three
