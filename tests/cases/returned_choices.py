# A value that several ways choose is returned out of a try: the compiler repeats the end of the expression on some of them.
def plain():
    return one or two == three > (four if five else six)


def in_try():
    try:
        return one or (two if three else four)
    except ValueError as error:
        pass
    last()


def chain_in_try():
    try:
        return one or two < three < four
    except ValueError as error:
        pass
    last()


def both_in_try():
    try:
        return one or two == three > (four if five else six)
    except ValueError:
        pass


async def waiting():
    return one or two == three > [four for four in five]


def shared_end(b):
    return (1 if b == 1 else 2 if b <= 8 else 0) if tp == 8 else 0


shared_end_of_lambda = lambda b: (1 if b == 1 else 2 if b <= 8 else 0) if tp == 8 else 0
