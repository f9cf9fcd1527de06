"""Every construct in every place of every other: a sample of all pairs in CI; `python -m tools.nestings` is the long run."""

from __future__ import annotations

import itertools
import random
from typing import Callable, Iterator

import pytest

from tools import nesting_templates as templates
from tools import nestings
from tools.nestings import (
    HEADS,
    Case,
    compiles,
    definition,
    expressions,
    fill,
    random_expressions,
    random_statements,
    run,
    statements,
)

EACH = 60


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("drawn", [random_expressions, random_statements])
def test_pairs_come_back(drawn: Callable[[str, int, random.Random], Iterator[Case]], head: str) -> None:
    count = run(head, itertools.islice(drawn(head, 2, random.Random(head)), EACH), EACH)
    assert count.tried > EACH // 4
    assert not count.failed, "\n\n".join(f"# {outcome.reason}\n{text}" for text, outcome in count.failed)


def test_a_hole_takes_lines_as_far_to_the_right() -> None:
    assert fill("if a:\n    □\nelse:\n    b", "c\nd") == "if a:\n    c\n    d\nelse:\n    b"
    assert fill("a(□, k=□)", "b") == "a(b, k=b)"


def test_every_template_has_a_hole() -> None:
    for text in templates.EXPRESSIONS + templates.CONTEXTS + templates.STATEMENTS + templates.AROUND:
        assert templates.HOLE in text


@pytest.mark.parametrize("head", ["function", "generator", "coroutine"])
@pytest.mark.parametrize("every", [expressions, statements])
def test_what_stands_in_one_other_compiles_mostly(every: Callable[[str, int], Iterator[Case]], head: str) -> None:
    cases = list(itertools.islice(every(head, 1), 300))
    assert sum(compiles(definition(case)) for case in cases) > 0.7 * len(cases)


def test_what_fails_is_found_among_many(monkeypatch: pytest.MonkeyPatch) -> None:
    real = nestings.check

    def fails_for_one(text: str) -> object:
        outcome = real(text)
        return outcome._replace(status="DIFFERENT", reason="made up") if "wrong" in text else outcome

    monkeypatch.setattr(nestings, "check", fails_for_one)
    cases = [Case("return a", "function"), Case("return wrong", "function"), Case("return b", "function")]
    count = run("some", cases, len(cases))
    assert count.tried == 3 and [text for text, _ in count.failed] == ["def f1(a, b, c):\n    return wrong\n"]
