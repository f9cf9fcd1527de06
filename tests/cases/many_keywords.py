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
