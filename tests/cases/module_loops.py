if ready:
    for item in source:
        if item or force:
            del cache
            raise item
