# differs: annotations of locals leave nothing behind
"""A module with annotations."""
import typing

x: int = 3
y: "str"
flag = True
if flag:
    z: typing.List[int] = []
else:
    z: None
for i in range(3):
    loop: int = i
    if i:
        deep: str
with lock:
    held: bool = True
try:
    first: int = 5
except ValueError as e:
    first: str = ""
finally:
    last: float = 0.5


class A:
    """A class with annotations."""

    a: int
    b: str = "x"
    c: typing.ClassVar["A"] = None
    unused = 1
    d: (lambda: x)
    e: [n for n in y] = 5
    f: x if y else z
    __private: int = 3

    def method(self, x: int, *args: typing.Any, key: str = "k", **kwargs: "A") -> None:
        self.x: int = x
        local: int = 4
        return local

    @property
    def g(self) -> "A":
        return self

    h: int


def function(a, b: int = make(), *, c: str = "", d: x.y[0] = z) -> typing.Optional[int]:
    class Inner:
        if a:
            p: int = b
        else:
            p: str
        q: float

    return Inner


def unbound():
    value: int
    return value


class NotNames:
    __annotations__["1 2"] = int
    x: int = 0
