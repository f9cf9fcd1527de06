# Two lambdas of which one is returned: what makes them is alike, their code is not.
def chosen():
    return (lambda: one) if given else lambda: other


def called():
    return show((lambda: one) if given else lambda: other)


def raised():
    raise Problem((lambda: one) if given else lambda: other)
