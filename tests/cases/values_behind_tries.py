def chosen_in_a_clause(group):
    try:
        size = a()
    except TypeError:
        try:
            size = b()
        except E:
            return group
        else:
            return c() if size == 1 else group
