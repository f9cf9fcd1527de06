"""The cost of a proof grows with the code, and not faster. Counted in events, so that a busy machine does not matter."""

from __future__ import annotations

from typing import Any

import pytest

from depyf.bytecode import graph_of
from depyf.proof.metadata import QualifiedNames
from depyf.proof.walk import Walk
from tests.benchmarks import benchmark

BENCH = benchmark("verify")


def events(code: Any, other: Any) -> int:
    walk = Walk(graph_of(code), graph_of(other), QualifiedNames(code, other))
    before = walk.budget
    walk.run()
    return before - walk.budget


@pytest.mark.parametrize("shape", BENCH.SHAPES)
def test_a_doubling_costs_twice(shape: str) -> None:
    codes = [BENCH.function(BENCH.SHAPES[shape], size) for size in (100, 200, 400)]
    spent = [events(code, BENCH.spill(code)) for code in codes]
    for before, after in zip(spent, spent[1:]):
        assert after <= 2.2 * before


def test_deep_nesting_needs_no_recursion() -> None:
    """Terms, containers and blocks, far more of them than the recursion limit."""
    count = 3000
    body = "".join(f"    t = [t, {i}]\n" for i in range(count))
    text = f"def f(t, a):\n{body}    return g(t)\n"
    module = BENCH.compile_text(text, "<deep>")
    code = next(BENCH.nested(module)).code
    assert BENCH.verify(code, BENCH.spill(code))


def test_two_of_quite_different_shape_end() -> None:
    """Two dispatchers over many states, of which neither follows the other."""
    first = "".join(f"        if s == {i}: s = g({i})\n" for i in range(60))
    second = "".join(f"        if s == {i}: s = g({i})\n" for i in reversed(range(60)))
    codes = []
    for body in (first, second):
        module = BENCH.compile_text(f"def f(s):\n    while s:\n{body}    return s\n", "<shape>")
        codes.append(next(BENCH.nested(module)).code)
    assert not BENCH.verify(*codes)
