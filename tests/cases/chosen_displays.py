def g(o, k, v):
    return (v, v, v, *k) if o else (k, *k)
def h(o, k, v):
    return [v, v, v, *k] if o else [k, *k]
def i(o, k, v):
    return {v, v, v, *k} if o else {k, *k}
def j(o, k, v):
    return {v: v, **k} if o else {k: 1, v: 2, **k}
def l(o, k, v):
    return f(o, *k) if o else f(v, v, *k)
def m(o, k, v):
    return f(**o, **k) if o else f(**v, x=1, **k)
def n(o, k, v):
    raise f(o, *k) if o else f(v, v, *k)
def p(o, k, v):
    return f(*o if o else k, *v)
def q(o, k, v):
    return [*(o if k else v), *k]
def r(o, k, v):
    return [v if o else k, *k]
