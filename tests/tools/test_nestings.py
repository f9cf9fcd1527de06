"""Every construct in every place of every other: a sample of all pairs in CI; `python -m tools.nestings` is the long run."""

from __future__ import annotations

import ast
import itertools
import random

import pytest

from tools import nesting_templates as templates
from tools import nestings
from tools.nestings import HEADS, Case, definition, expressions, fill, run, statements

EACH = 60


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("make", [expressions, statements])
def test_pairs_come_back(make: object, head: str) -> None:
    count = run(head, make(head, 2), EACH, random.Random(head), whole=True)  # type: ignore[operator]
    assert count.tried > EACH // 4
    assert not count.failed, "\n\n".join(f"# {outcome.reason}\n{text}" for text, outcome in count.failed)


def test_a_hole_takes_lines_as_far_to_the_right() -> None:
    assert fill("if a:\n    □\nelse:\n    b", "c\nd") == "if a:\n    c\n    d\nelse:\n    b"
    assert fill("a(□, k=□)", "b") == "a(b, k=b)"


def test_every_template_has_a_hole_and_compiles_somewhere() -> None:
    kinds = [(text, expressions) for text in templates.EXPRESSIONS] + [(text, statements) for text in templates.STATEMENTS]
    for text, _ in kinds:
        assert templates.HOLE in text
    for head in HEADS:
        for case in itertools.islice(expressions(head, 1), 200):
            ast.parse(definition(case))


def test_what_fails_is_found_among_many(monkeypatch: pytest.MonkeyPatch) -> None:
    real = nestings.check

    def fails_for_one(text: str) -> object:
        outcome = real(text)
        return outcome._replace(status="DIFFERENT", reason="made up") if "wrong" in text else outcome

    monkeypatch.setattr(nestings, "check", fails_for_one)
    cases = [Case("return a", "function"), Case("return wrong", "function"), Case("return b", "function")]
    count = run("some", iter(cases), None, random.Random(0), whole=True)
    assert count.tried == 3 and [text for text, _ in count.failed] == ["def f1(a, b, c):\n    return wrong\n"]
