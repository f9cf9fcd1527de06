"""Code that stands in for PyTorch's: what early releases need of its locals."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from depyf.inspector import source


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
