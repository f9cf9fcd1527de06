def constant(ref):
    try:
        with u():
            ref = "main"
    except H as e:
        ref = 1
    return ref
