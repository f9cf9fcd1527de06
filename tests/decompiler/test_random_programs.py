"""Random programs there and back, with a fixed seed and a small budget; `python -m tools.random_programs` is the long run."""

from __future__ import annotations

import sys
from typing import Dict, List, Tuple

import pytest

from tools.random_programs import Trial, trials
from tools.roundtrip import EQUAL

COUNT = 120
# What the generator makes is far from what people write. How many of these do not come back yet; it may only go down.
MISSING: Dict[Tuple[int, int], int] = {(3, 8): 1, (3, 14): 1, (3, 15): 1}


@pytest.fixture(scope="module")
def done() -> List[Trial]:
    return list(trials(COUNT, seed=20))


def told(some: List[Trial]) -> str:
    return "\n\n".join(f"# {trial.number}: {trial.outcome.status} {trial.outcome.reason}\n{trial.text}" for trial in some)


def test_programs_come_back_proven(done: List[Trial]) -> None:
    failed = [trial for trial in done if trial.outcome.status != EQUAL]
    assert len(done) == COUNT
    assert len(failed) <= MISSING.get(sys.version_info[:2], 0), told(failed)


def test_what_is_printed_compiles(done: List[Trial]) -> None:
    wrong = [trial for trial in done if trial.outcome.reason.startswith("the text does not compile")]
    assert wrong == [], told(wrong)


def test_nothing_but_the_promised_error_is_raised(done: List[Trial]) -> None:
    wrong = [trial for trial in done if trial.outcome.reason.startswith("decompile: raised") or "RecursionError" in trial.outcome.reason]
    assert wrong == [], told(wrong)
