import os, sys as system
import a.b, c
import d


def deletes(x, y, z):
    del x, y.a, z[0]
    del y
    del z
    import e, f
    import g
