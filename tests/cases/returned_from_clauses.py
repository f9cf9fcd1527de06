def behind_a_choice():
    try:
        x()
    except a:
        return a or (y if z else d)
    g()


def chosen_in_clause():
    try:
        x()
    except a:
        if z:
            return a and (y if z else d or x)
    g()
