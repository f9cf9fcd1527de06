# differs: constants in conditions are folded
def conditions(e):
    a = (i for i in e if i or not 0)
    b = (i for i in e if 0)
    c = [i for i in e if i or "text"]
    f = {i for i in e if 1 for j in i if j or 2}
    return a, b, c, f
