class Base:
    """With a docstring."""

    x = 1

    def __init__(self, value):
        self.value = value
        self.other, self.third[0] = value

    def method(self):
        return super().method(), __class__

    @classmethod
    def make(cls, *args, **kwargs):
        cls.made = True
        return cls(*args, **kwargs)


class Meta(Base, metaclass=type, keyword=1):
    pass


class Spread(*bases, **options):
    y = [Base.x for _ in range(3)]


def function(a):
    class Local(a):
        b = a

        def get(self):
            return a, self.b

    return Local


class Conditional:
    if flag:
        x = 1
    else:
        x = 2
    for i in range(3):
        if i:
            break
    try:
        y = compute()
    except ValueError:
        y = None
    finally:
        del i


class OwnCell:
    __classcell__ = 42

    def method(self):
        return a
