"""The cost of decompiling grows with the code, and not faster. Counted in calls, so that a busy machine does not matter."""

from __future__ import annotations

import itertools

import pytest

from depyf import checking
from tests.benchmarks import benchmark
from tools.growth import DOUBLING, HEADS, Shape, calls, drawn, measured

BENCH = benchmark("decompile")
EACH = 6


@pytest.fixture(autouse=True)
def without_laws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "laws", False)  # they are not what is measured


@pytest.mark.parametrize("shape", BENCH.SHAPES)
def test_a_doubling_costs_twice(shape: str) -> None:
    make, sizes = BENCH.SHAPES[shape]
    spent = [calls(make(size)) for size in sizes[1:3]]
    assert spent[1] <= 2.2 * spent[0]


@pytest.mark.parametrize("head", HEADS)
def test_whatever_is_repeated(head: str) -> None:
    found = [measured(shape) for shape in itertools.islice(drawn(head, 2, seed=1), EACH)]
    grown = [one for one in found if one is not None]
    assert len(grown) > EACH // 4
    assert [one for one in grown if one.ratio > DOUBLING] == []


# each was once compared with all others of its kind, or followed to the end of the function
REPEATED = {
    "a break that replaces a return": "while True:\n    try:\n        return a\n    finally:\n        e = a\n        break\ng()",
    "operands in parentheses": "(a or b) or True",
    "a choice that is added to an attribute": "x.u |= (not z or not c) and z or y",
    "choices that lead to choices": "if (a if y else b and c) or d:\n    return x\nreturn (a.b if y else a.c and d) or z",
}


@pytest.mark.parametrize("what", REPEATED)
@pytest.mark.parametrize("head", ["def f(a):", "async def f(a):"])
def test_what_was_once_quadratic(what: str, head: str) -> None:
    grown = measured(Shape(REPEATED[what], head), (60, 120))
    assert grown is not None and grown.ratio <= DOUBLING
