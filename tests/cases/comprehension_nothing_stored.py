def stores_nothing():
    y[b] *= [i for () in z]
    f(b, {i for () in z if x for () in w})


y[b] *= [i for () in z]
