for c in a:
    for d in x:
        break
    break
