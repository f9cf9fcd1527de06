# differs: the alternative that is never taken is not there any more
def tests(b):
    if a is not x > (a if a and z and False else b):
        c
    a[b] += x if (y and z) or True else w
    a.b += x if y or True else w
    return a < b < (x if y or z or True else w) < c
