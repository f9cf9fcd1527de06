# since: 3.14
# differs: a `try` whose body does nothing has no handler, but its `finally` has numbered its annotations twice
try:
    pass
finally:
    one: int = 1
    other: str
last: float = 2


class C:
    try:
        pass
    finally:
        one: int = 1
        other: str
    last: float = 2
