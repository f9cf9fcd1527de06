"""Where a value is kept is no behaviour: code with every stack value in a named temporary is EQUAL to the original.

A sample here; `python -m tools.spiller` proves the whole standard library.
"""

from __future__ import annotations

from tools.roundtrip import EQUAL
from tools.sources import choose, stdlib_files
from tools.spiller import spilled_outcomes


def test_spilled_functions_of_the_standard_library_are_equal() -> None:
    outcomes = list(spilled_outcomes(choose(stdlib_files("library"), 30, seed=5), timeout=30.0))
    assert len(outcomes) > 150
    wrong = [(module, outcome) for module, outcome in outcomes if outcome.status != EQUAL]
    assert wrong == []
