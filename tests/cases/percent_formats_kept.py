# since: 3.11
def formats(a):
    return f"{{}}%s %%" % (a,), f"%s" % (a.b,)
