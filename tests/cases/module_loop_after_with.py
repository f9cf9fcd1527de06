while True:
    if h:
        break
    try:
        with a as d:
            break
    except a as e:
        x.v //= a
    for c in a:
        if c:
            break
