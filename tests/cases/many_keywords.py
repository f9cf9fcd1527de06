def f(a, name):
    desc = g(k0=(name if a else 3), k1=1, k2=a, k3=3, k4=4, k5=5, k6=6, k7=7, k8=8, k9=9, k10=10, k11=11, k12=12, k13=13, k14=14, k15=15, k16=16, k17=17)
    return desc
def f2(a, name):
    if a:
        desc = g(k0=1, k1=1, k2=a, k3=3, k4=4, k5=5, k6=6, k7=7, k8=8, k9=9, k10=10, k11=11, k12=12, k13=13, k14=14, k15=15)
    else:
        desc = g(k0=2, k1=1, k2=a, k3=3, k4=4, k5=5, k6=6, k7=7, k8=8, k9=9, k10=10, k11=11, k12=12, k13=13, k14=14, k15=15)
    return desc
def f3(a, name):
    desc = g(k0=a or 3, k1=1, k2=a, k3=3, k4=4, k5=5, k6=6, k7=7, k8=8, k9=9, k10=10, k11=11, k12=12, k13=13, k14=14, k15=15)
    return desc


def f4(self, m):
    return C(
        a=self.a,
        b=self.b,
        c=self.c,
        d=self.d,
        e=self.e,
        f=self.f,
        g=self.g,
        h=self.h,
        i=self.i,
        j=self.j,
        k=self.k,
        l=self.l,
        n=self.n,
        o=self.o if hasattr(self, "o") else None,
        p=self.p
        if hasattr(self, "p")
        else None,
        q=self.q
        if hasattr(self, "q")
        else None,
        r=m,
    )
