def three_in_a_clause():
    try:
        p
    except E:
        return (a if b else e and c and d) and f


def three():
    return (a if b else e and c and d) and f


def two_in_a_clause():
    try:
        p
    except E:
        return (a if b else e and c) and f
