# since: 3.12
def f1():
    try:
        a
    except E as e:
        return x.__private
    else:

        class C4[T]:
            pass
