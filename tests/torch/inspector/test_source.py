"""Code that stands in for PyTorch's: what early releases need of its locals."""

from __future__ import annotations

import sys
from types import FunctionType
from typing import Any, Dict

import pytest

from depyf.inspector import source
from depyf.proof import verify


def kept(a: Any) -> Any:
    b = a + 1

    def inside(c: Any) -> Any:
        return b * c

    b += 1
    return inside(10), [b for _ in range(2)]


def with_more(a: Any) -> Any:
    first = second = third = a
    return first, second, third


def test_locals_are_added_and_cells_move() -> None:
    code = source._with_locals_of(with_more.__code__, kept.__code__)
    assert set(with_more.__code__.co_varnames) <= set(code.co_varnames)
    assert (code.co_cellvars, code.co_freevars) == (kept.__code__.co_cellvars, kept.__code__.co_freevars)
    assert FunctionType(code, globals())(3) == kept(3) == (50, [5, 5])
    assert source._with_locals_of(kept.__code__, kept.__code__) is kept.__code__


def test_a_closure_keeps_its_free_variables() -> None:
    offset = 7

    def closed(a: Any) -> Any:
        inner = [a + offset]
        return (lambda: inner + [offset])()

    code = source._with_locals_of(with_more.__code__, closed.__code__)
    assert set(with_more.__code__.co_varnames) <= set(code.co_varnames) and code.co_freevars == ("offset",)
    assert FunctionType(code, globals(), "closed", None, closed.__closure__)(1) == closed(1) == [8, 7]


def test_a_local_beside_a_free_variable_of_its_name() -> None:
    """Resume functions of PyTorch 2.2 have both where a comprehension's function uses what the rest gets as an argument."""
    first = 7

    def closed(a: Any) -> Any:
        inner = a + first
        return inner, [first for _ in range(2)]

    code = source._with_locals_of(with_more.__code__, closed.__code__)
    assert set(with_more.__code__.co_varnames) <= set(code.co_varnames) and code.co_freevars == ("first",)
    assert FunctionType(code, globals(), "closed", None, closed.__closure__)(1) == closed(1) == (8, [7, 7])


def _with_many_locals(count: int) -> Any:
    """A function with a cell behind `count` locals."""
    names = [f"v{number}" for number in range(count)]
    lines = ["def many(a):", "    b = a", *[f"    {name} = {number}" for number, name in enumerate(names)]]
    lines += ["    b += 1", "    return (lambda: b)(), " + ", ".join(names)]
    found: Dict[str, Any] = {}
    exec("\n".join(lines), found)
    return found["many"]


@pytest.mark.parametrize("count", [5, 245, 252, 253, 300])
def test_cells_move_behind_more_locals_than_one_byte_counts(count: int) -> None:
    many = _with_many_locals(count)
    code = source._with_locals_of(with_more.__code__, many.__code__)
    assert FunctionType(code, globals())(3) == many(3) == (4, *range(count))
    assert verify(many.__code__, code)
    moves = count < 250 or count >= 255  # where an argument would need more bytes than it has, the code stays as it is
    assert moves == (set(with_more.__code__.co_varnames) <= set(code.co_varnames)) or sys.version_info < (3, 11)
