"""Annotations that are kept as text."""
from __future__ import annotations

x: int = 3
y: dict[str, list["x"]]


class A:
    a: typing.ClassVar[int] = 5
    b: lambda: x

    def f(self, x: int | None, y: f"{x}" = 3) -> None | A:
        return x


def g(a: undefined.name[0], b: "text") -> [i for i in x]:
    return a


def h(a: Callable[..., None], b: C[C[-1, ...], "text", (1, (2, ...))] = 1) -> Callable[..., C[..., "é'", 1.5]]:
    return a


z: Callable[..., None]
