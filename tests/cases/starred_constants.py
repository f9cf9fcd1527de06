def called(*args):
    E(not d or c, *(2,))
