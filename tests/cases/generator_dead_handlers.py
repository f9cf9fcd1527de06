# since: 3.11
# differs: what cannot raise has no handler
def dead_handler():
    for a in b:
        match a:
            case [True, None]:
                try:
                    pass
                except* a:
                    (a or x) or (yield 9)
