# Nothing stands behind a loop at the end of a clause: what leaves it otherwise stands inside.
try:
    one()
except ValueError as error:
    while True:
        if given:
            break
        try:
            two()
        except OSError:
            other()
        else:
            raise Problem
after = 1

try:
    one()
except ValueError:
    while True:
        if given:
            break
        try:
            two()
        except OSError:
            other()
        else:
            show()
            raise Problem
