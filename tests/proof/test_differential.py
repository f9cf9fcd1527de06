"""Runs agree with verdicts: no run tells apart what the proof calls EQUAL, with an exception injected at each event.

A small budget here; `python -m tools.differential` is the long run.
"""

from __future__ import annotations

from itertools import islice

from tools.differential import compare, mutant_pairs, spilled_pairs


def test_no_run_tells_spilled_code_apart() -> None:
    pairs = list(islice(spilled_pairs(seed=2, count=10), 60))
    assert len(pairs) > 20
    for name, status, first, second in pairs:
        found = compare(first, second, seeds=2, injections=15)
        assert status != "EQUAL" or found is None, f"{name}: {found}"


def test_runs_and_verdicts_on_mutants() -> None:
    told = 0
    pairs = list(islice(mutant_pairs(seed=4, count=0), 120))
    for name, status, first, second in pairs:
        found = compare(first, second, seeds=2, injections=15)
        told += found is not None
        assert status != "EQUAL" or found is None, f"{name}: {found}"
    assert told > 40  # the worlds are rich enough to see most changes
