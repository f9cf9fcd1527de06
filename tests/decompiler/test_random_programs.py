"""Random programs there and back, with a fixed seed and a small budget; `python -m tools.random_programs` is the long run."""

from __future__ import annotations

from pathlib import Path
from typing import List

import pytest

from tools.minimise import check
from tools.random_programs import Trial, trials
from tools.roundtrip import EQUAL

COUNT = 120
# Found by longer runs, and proven since; the text is not always the one that was written.
FOUND = (Path(__file__).parent / "found_programs.txt").read_text(encoding="utf-8").split("----\n")[1:]


@pytest.fixture(scope="module")
def done() -> List[Trial]:
    return list(trials(COUNT, seed=20))


def told(some: List[Trial]) -> str:
    return "\n\n".join(f"# {trial.number}: {trial.outcome.status} {trial.outcome.reason}\n{trial.text}" for trial in some)


def test_programs_come_back_proven(done: List[Trial]) -> None:
    failed = [trial for trial in done if trial.outcome.status != EQUAL]
    assert len(done) == COUNT
    assert failed == [], told(failed)


def test_what_is_printed_compiles(done: List[Trial]) -> None:
    wrong = [trial for trial in done if trial.outcome.reason.startswith("the text does not compile")]
    assert wrong == [], told(wrong)


def test_nothing_but_the_promised_error_is_raised(done: List[Trial]) -> None:
    wrong = [trial for trial in done if trial.outcome.reason.startswith("decompile: raised") or "RecursionError" in trial.outcome.reason]
    assert wrong == [], told(wrong)


@pytest.mark.parametrize("text", FOUND)
def test_what_was_found_is_proven(text: str) -> None:
    outcome = check(text)
    assert outcome.status == EQUAL, outcome.reason
