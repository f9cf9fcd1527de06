# since: 3.11
# differs: since 3.12 the second part of the test is no chain of comparisons any more
def asserts():
    with a:
        try:
            a
        except* E as e:
            assert (a and {a for k in j}) and (x >= c is a and a)
