def tried_again(a, b):
    for c in a:
        try:
            while True:
                d = b()
                if not d:
                    break
            break
        except ValueError:
            print(c)
    return c


for c in a:
    try:
        while True:
            d = b()
            if not d or c:
                break
        break
    except ValueError:
        raise
print(c)
