"""Pairs of modules that behave the same, and pairs that do not: the verdict must say so, both ways round."""

from __future__ import annotations

from typing import Any

import pytest

from depyf.proof import DIFFERENT, EQUAL, prove, verify
from tests.proof.cases import Case, compiled, read

EQUALS = read("equal.txt")
DIFFERENTS = read("different.txt")


@pytest.mark.parametrize("case", EQUALS, ids=[case.name for case in EQUALS])
def test_equal(case: Case) -> None:
    first, second = compiled(case.first), compiled(case.second)
    assert str(verify(first, second)) == EQUAL
    assert str(verify(second, first)) == EQUAL


@pytest.mark.parametrize("case", DIFFERENTS, ids=[case.name for case in DIFFERENTS])
def test_different(case: Case) -> None:
    first, second = compiled(case.first), compiled(case.second)
    for verdict in (verify(first, second), verify(second, first)):
        assert verdict.status == DIFFERENT, verdict
        assert not verdict
        assert verdict.reason and str(verdict).startswith("DIFFERENT: ")


@pytest.mark.parametrize("case", EQUALS + DIFFERENTS, ids=[case.name for case in EQUALS + DIFFERENTS])
def test_equal_to_itself(case: Case) -> None:
    """Compiled twice, so that no code object is the same object."""
    for text in (case.first, case.second):
        assert verify(compiled(text), compiled(text))


def test_the_walk_agrees_with_the_short_ways(monkeypatch: Any) -> None:
    """Graphs that are literally the same are not walked; walked all the same, they are equal too."""
    for name in ("same_bytes", "same_graphs"):
        monkeypatch.setattr(prove, name, lambda first, second: None)
    for case in EQUALS + DIFFERENTS:
        for text in (case.first, case.second):
            verdict = verify(compiled(text), compiled(text))
            assert verdict, f"{case.name}\n{verdict}"
