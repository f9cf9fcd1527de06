def chain(**kwargs):
    try:
        with a as z:
            pass
    except E:
        return 'ab' <= a >= a != h
