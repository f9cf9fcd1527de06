def formats(a, b):
    return "%s %d" % (a, b), "%s" % (a, b)
