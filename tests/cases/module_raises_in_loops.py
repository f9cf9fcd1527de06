# Nothing stands behind these loops: what leaves them otherwise stands inside.
while True:
    if given:
        break
    try:
        one()
    except ValueError:
        other()
    else:
        raise Problem
