def updates(z):
    x.u |= (not z and not c or z) and f"{E}"
    x.u |= (not z or not c) and z or y
    x.u |= not z and not c or z or y
    x.u |= (not z and not c or not a and not b or d) and y


def opposites(z):
    x.u |= (not (z and c) or z) and y
    x.u |= (not (z or c) or z) and y
    x.u |= not (z or c) and y
    x.u |= not (z and c) or y
