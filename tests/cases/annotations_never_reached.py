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

for item in items:
    try:
        if 0:
            break
        step
    finally:
        one: int
    other: str

try:
    pass
finally:
    try:
        step
    finally:
        try:
            step
        except ValueError as error:
            one: int = 1

try:
    while True:
        step
finally:
    one: int
other: str
