"""Classes that exist: what their class statement left behind stands in a class statement again."""

from __future__ import annotations

import abc
import ast
import dataclasses
import enum
import functools
import typing
from typing import Any, Dict

import pytest

import depyf

T = typing.TypeVar("T")


class Shade(enum.Enum):
    DARK = 1
    LIGHT = "l"

    def other(self) -> Any:
        return Shade.LIGHT if self is Shade.DARK else Shade.DARK


class Many(typing.Generic[T], metaclass=abc.ABCMeta):
    """Everything at once."""

    table: Dict[str, int] = {"a": 1, "b": [2, (3, None)]}  # type: ignore[dict-item]
    shade = Shade
    __eq__ = object.__eq__

    def __init__(self) -> None:
        self.__secret = 3

    def __add__(self, other: int) -> int:
        return other

    __radd__ = __add__

    @functools.lru_cache(maxsize=None)  # noqa: B019
    def cached(self) -> int:
        return 1

    @property
    def size(self) -> int:
        return 1

    @size.setter
    def size(self, value: int) -> None:
        self.value = value

    class Inner:
        def f(self) -> Any:
            return super().f()  # type: ignore[misc]


class Slotted:
    __slots__ = ("a", "b")


@dataclasses.dataclass
class Data:
    x: int
    y: float = 0.5


class Empty:
    pass


def test_members_stand_in_their_order_with_what_decorated_them() -> None:
    text = depyf.decompile(Many, verify=True)
    ast.parse(text)
    assert text.verdict
    wanted = [
        "class Many(typing.Generic[~T], metaclass=ABCMeta):", '"""Everything at once."""',
        'table = {"a": 1, "b": [2, (3, None)]}', "shade = Shade", "def __init__(self):", "self.__secret = 3",
        "def __add__(self, other):", "__radd__ = __add__", "@lru_cache", "def cached(self):", "@property", "@size.setter",
        "class Inner:", "def f(self):", "return super().f()",
    ]  # fmt: skip
    positions = [text.index(line) for line in wanted]
    assert positions == sorted(positions)
    assert "_abc_impl" not in text and "__parameters__" not in text and "if False" not in text


@pytest.mark.parametrize(
    "cls, lines",
    [
        (Shade, ["class Shade(Enum):", "    DARK = 1", '    LIGHT = "l"', "    def other(self):"]),
        (Slotted, ["class Slotted:", '    __slots__ = ("a", "b")']),
        (Empty, ["class Empty:", "    pass"]),
        (Data, ["class Data:", "    y = 0.5", "    def __init__(self, x, y=0.5):"]),
    ],
)
def test_kinds_of_classes(cls: type, lines: Any) -> None:
    text = depyf.decompile(cls)
    assert [line for line in text.splitlines() if line in lines] == lines
    assert "_member_map_" not in text and "__dataclass_fields__" not in text and "__annotate" not in text


def test_annotations_of_fields_on_request() -> None:
    assert "    x: int" not in depyf.decompile(Data).splitlines()
    lines = depyf.decompile(Data, annotations=True).splitlines()
    assert lines.index("    x: int") < lines.index("    y: float = 0.5")


def test_the_line_map_of_a_class_leads_into_each_function() -> None:
    text = depyf.decompile(Many)
    lines = text.splitlines()
    by_line = {lines[m.line - 1].strip(): m for m in text.line_map if m.offsets}
    assert by_line["return other"].code is Many.__add__.__code__
    assert by_line["return super().f()"].code is Many.Inner.f.__code__
    assert by_line["self.value = value"].source_lines == [Many.size.fset.__code__.co_firstlineno + 2]  # type: ignore[attr-defined]


def test_a_class_whose_function_cannot_be_decompiled_is_refused_with_the_promised_error() -> None:
    class Broken:
        def f(self) -> None:
            pass

    Broken.f.__code__ = Broken.f.__code__.replace(co_code=b"")
    with pytest.raises(depyf.DecompilationError):
        depyf.decompile(Broken)
