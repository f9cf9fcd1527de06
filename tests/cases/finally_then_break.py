def behind(items):
    for item in items:
        try:
            first(item)
        finally:
            close(item)
        break
    else:
        second()
    third()


def inside(items):
    for item in items:
        try:
            if item:
                first(item)
            elif second(item):
                break
        finally:
            close(item)
            third(item)
    fourth()


def both(items):
    for item in items:
        try:
            if first(item):
                break
            second(item)
        finally:
            close(item)
        break
    third()
