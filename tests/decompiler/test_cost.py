"""The cost of decompiling grows with the code, and not faster. Counted in calls, so that a busy machine does not matter."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from depyf import Decompiler, checking
from tests.benchmarks import benchmark

BENCH = benchmark("decompile")


def calls(code: Any) -> int:
    """How many functions are called, or go on, to decompile `code`; those in C, too: a loop may call nothing but `isinstance`."""
    count = 0

    def count_call(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count_call)
    try:
        Decompiler(code).decompile()
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("shape", BENCH.SHAPES)
def test_a_doubling_costs_twice(shape: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "laws", False)  # the laws are not what is measured
    make, sizes = BENCH.SHAPES[shape]
    spent = [calls(make(size)) for size in sizes[1:3]]
    assert spent[1] <= 2.2 * spent[0]
