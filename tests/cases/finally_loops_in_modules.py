t = z >= a >= d
del t
