def of_cause(a, b, c):
    raise a from b if b else c
def of_chain(a, b, c, d):
    raise a not in b <= c < d
def of_choice(a, b, c):
    if c:
        raise a if b else c
    raise (a or b)(c)
def in_clause(a, b, c):
    try:
        raise a or b from c
    except a:
        raise a < b < c from c and b
raise a >= b != (c := d) from e or f
