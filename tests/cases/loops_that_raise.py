# The body of a loop ends in a raise behind a finally: a statement that chooses stands in the loop up to its end.
def update():
    while ready:
        try:
            step()
        except Problem as problem:
            continue
        finally:
            pass
        kept[:last:2] |= one or two
        raise
