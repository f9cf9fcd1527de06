def f(out, codes, mask):
    out, codes = out[mask], [a for level_codes in codes]
def g(out, codes, mask):
    out, codes = out[mask], {a for level_codes in codes}
def h(out, codes, mask):
    out, codes = [a for x in codes], out[mask]
def k(out, codes, mask):
    out, codes = [a for x in codes], [b for x in codes]
