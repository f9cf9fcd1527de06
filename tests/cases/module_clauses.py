try:
    a
except E as e:
    pass

try:
    w
except F as e:
    raise a
finally:
    try:
        y
    except E as e:
        class C1:
            pass

    a
