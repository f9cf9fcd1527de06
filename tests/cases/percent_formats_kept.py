# differs: up to 3.10 nothing tells a literal from an f-string without values
def formats(a):
    return f"{{}}%s %%" % (a,), f"%s" % (a.b,)
