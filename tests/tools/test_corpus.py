"""The corpus tool: what it counts, and that a module which fails costs only itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Optional, Tuple

import pytest

from tools import corpus, roundtrip
from tools.roundtrip import EQUAL, FAILED, Outcome, attempt, pairs, reason_class, round_trip
from tools.sources import Source, compile_text, kind, nested

TEXT = '''
"""A module."""
import os
LIMIT = 3

class Box:
    """Holds things."""
    def __init__(self, things=()):
        self.things = [thing for thing in things if thing]

    def first(self):
        return self.things[0] if self.things else None

def build(count):
    if count > LIMIT:
        raise ValueError(count)
    return Box(range(count))
'''


@pytest.fixture
def source(tmp_path: Path) -> Source:
    path = tmp_path / "boxes.py"
    path.write_text(TEXT)
    return Source("boxes", str(path))


def test_a_module_comes_back_with_all_its_functions(source: Source) -> None:
    result = round_trip(source)
    assert result is not None
    assert result.module == Outcome("<module>", EQUAL)
    assert [outcome.qualname for outcome in result.functions] == ["Box.__init__", "Box.first", "build"]
    assert {outcome.status for outcome in result.functions + result.classes} == {EQUAL}
    assert result.text is not None and "class Box" in result.text


def test_a_module_that_fails_is_tried_function_by_function(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(code: Any, seconds: float) -> Tuple[Optional[str], str]:
        return None, "decompile: refused"

    monkeypatch.setattr(roundtrip, "decompile_module", refuses)
    result = round_trip(source)
    assert result is not None
    assert result.module == Outcome("<module>", FAILED, "decompile: refused")
    assert [(outcome.qualname, outcome.status) for outcome in result.functions] == [
        ("Box.__init__", EQUAL), ("Box.first", EQUAL), ("build", EQUAL),
    ]  # fmt: skip


def test_wrong_text_is_found_out(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = TEXT.replace("count > LIMIT", "count >= LIMIT")
    monkeypatch.setattr(roundtrip, "decompile_module", lambda code, seconds: (wrong, ""))
    monkeypatch.setattr(roundtrip, "one_by_itself", lambda name, code, seconds: Outcome(name, FAILED, "not tried"))
    result = round_trip(source)
    assert result is not None
    assert result.module.status == "DIFFERENT"
    assert [(o.qualname, o.status) for o in result.functions if o.status != EQUAL] == [("build", "DIFFERENT")]


def test_the_command_prints_a_table_and_writes_failures(
    source: Source, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = str(Path(source.path).parent)
    report = tmp_path / "failures.jsonl"
    assert corpus.main(["--folder", folder, "--readability", "--check", "--failures", str(report)]) == 0
    printed = capsys.readouterr().out
    assert "100 %" in printed and "3 of 3 functions have the AST" in printed
    assert report.read_text() == ""
    wrong = TEXT.replace("count > LIMIT", "count >= LIMIT")
    monkeypatch.setattr(roundtrip, "decompile_module", lambda code, seconds: (wrong, ""))
    monkeypatch.setattr(roundtrip, "one_by_itself", lambda name, code, seconds: Outcome(name, FAILED, "not tried"))
    assert corpus.main(["--folder", folder, "--check", "--failures", str(report)]) == 1
    written = [json.loads(line) for line in report.read_text().splitlines()]
    assert [(entry["module"], entry["qualname"], entry["status"]) for entry in written] == [
        ("boxes", "<module>", "DIFFERENT"), ("boxes", "build", "DIFFERENT"),
    ]  # fmt: skip


def test_other_errors_are_told_from_the_promised_one() -> None:
    def broken() -> None:
        raise KeyError("x")

    assert attempt("decompile", broken) == (None, "decompile: raised KeyError: 'x'")
    assert attempt("decompile", lambda: 5) == (5, "")


def test_what_takes_too_long_is_stopped() -> None:
    def endless() -> None:
        while True:
            pass

    result, reason = attempt("decompile", endless, seconds=0.1)
    assert result is None and "more than 0.1 s" in reason


def test_code_objects_of_one_name_are_paired_in_order() -> None:
    first = compile_text("def f(): return 1\ndef g(): pass\ndef f(): return 2\n", "x")
    second = compile_text("def f(): return 1\ndef f(): return 2\n", "x")
    found = [(name, mine.co_consts, theirs and theirs.co_consts) for name, mine, theirs in pairs(first, second)]
    assert [name for name, _, _ in found] == ["f", "g", "f"]
    assert found[0][1] == found[0][2] and found[1][2] is None and found[2][1] == found[2][2]


def test_kinds_of_code_objects() -> None:
    code = compile_text("class A:\n    def f(self): return lambda: (x for x in self)\n", "x")
    assert [(item.qualname, kind(item.code)) for item in nested(code)] == [
        ("A", "class"), ("A.f", "function"), ("A.f.<lambda>", "function"), ("A.f.<lambda>.<genexpr>", "comprehension"),
    ]  # fmt: skip


def test_reasons_are_counted_by_their_class() -> None:
    assert reason_class("no way at offset 12 in 'f'\nmore") == reason_class("no way at offset 7 in 'g'")
