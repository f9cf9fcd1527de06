def forgets(a):
    if a:
        try:
            return {}
        finally:
            return a
