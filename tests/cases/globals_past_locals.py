# differs: a global statement of a class body that nothing follows
def outer(w, z):
    def script():
        global w
        return w(z)
    def script2():
        global w
        return lambda: w
    def script3():
        return v
    class C:
        global w
        def m(self):
            return w
    class D:
        def m(self):
            global w
            return [w for x in y]
    x = [v for v in w]
    return w
def outer2(w, z):
    y = lambda w: w
    def f(): return w, y
