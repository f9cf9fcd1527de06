# A clause that ends in a loop, at the end of a with: control falls off both.
with manager as entered, other:
    try:
        try:
            one
        except Problem:
            assert two
    except Other as other:
        while True:
            step()
            if three:
                break
