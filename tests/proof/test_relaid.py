"""Layout is no behaviour: a module and the same module on other lines are EQUAL.

A sample here; `python -m tools.relaid` proves the whole standard library.
"""

from __future__ import annotations

import ast
import sys

import pytest

from tools.relaid import METHODS, by_tokens, outcomes
from tools.roundtrip import EQUAL
from tools.sources import choose, stdlib_files


@pytest.mark.parametrize("method", sorted(METHODS))
def test_relaid_modules_are_equal(method: str) -> None:
    if method == "unparse" and sys.version_info < (3, 9):
        pytest.skip("3.8 has no ast.unparse; by_tokens re-lays its sources")
    done = [
        (source.name, relaid)
        for source, relaid in outcomes(choose(stdlib_files("library"), 25, seed=9), method, timeout=30.0)
        if relaid is not None
    ]
    assert len(done) > 15
    wrong = [(name, o) for name, relaid in done for o in [relaid.module] + relaid.functions if o.status != EQUAL]
    assert wrong == []


def test_tokens_move_and_the_program_stays() -> None:
    text = (
        b"# -*- coding: utf-8 -*-\ndef f(a, b):\n    x = g(a,\n          b) + 1\n    s = '''a\n    b'''\n    return x\n"
    )
    relaid = by_tokens(text)
    assert relaid.count("\n") > text.count(b"\n") + 5
    assert ast.dump(ast.parse(relaid)) == ast.dump(ast.parse(text))
