# differs: code that cannot run is gone; what it sets on self is known since 3.13, but not where
class C:
    def f(self):
        self.x = 1
        if False:
            self.y = 2
    if False:
        def g(self):
            self.z = 3
            self.__p = 3

class D:
    def f(self):
        self.__q = 3
        def g():
            self.u = 4
        (lambda: setattr(self, 'k', [self.w for self.w in x]))
    class E:
        def f(self):
            self.v = 3
