"""Constant expressions that code computes at run time, which recompiled text does not: made in the canonical graphs."""

from __future__ import annotations

from typing import Any, List

import pytest

from depyf.bytecode import graph_of
from depyf.proof.metadata import QualifiedNames
from depyf.proof.verdict import Failure
from depyf.proof.walk import Walk
from tests.proof.cases import walk

ROWS = [
    ("-a", [1], -1),
    ("a + b * c", [1, 3, 2], 7),
    ("a * b", ["ab", 2], "abab"),
    ("a + b", [b"a", b"b"], b"ab"),
    ("a + (b, c)", [(1,), 2, 3], (1, 2, 3)),
    ("a / b", [3, 2], 1.5),
    ("a ** b", [2, 10], 1024),
    ("a[b]", ["ab", -1], "b"),
    ("(a, b)[c]", [1, 2, 0], 1),
    ("a - b", [0.0, 0.0], 0.0),
    ("-a", [0.0], -0.0),
    ("a | b", [True, False], True),
    ("a * b", [False, b"ab"], b""),
    ("a * b", [(1, 2), True], (1, 2)),
    ("a[b]", ["ab", True], "b"),
    ("a[b:]", ["abc", 1], "bc"),
    ("a << b", [0, 10**6], 0),
    ("a ** b", [False, 10**6], 0),
]
NOT_FOLDED = [
    ("a + b", [1, 2.0], 3),  # 3.0
    ("-a", [0.0], 0.0),
    ("a | b", [True, False], 1),
    ("a // b", [1, 0], 0),  # raises
    ("a + b", ["a", b"b"], "ab"),  # raises
    ("a << b", [1, 10**6], 1),  # too big
    ("a % b", ["%s", 1], "1"),
    ("a * b", [1.0, "ab"], "ab"),  # raises
    ("a[b:]", ["abc", 1.0], "bc"),  # raises
]


def computed(text: str, constants: List[Any]) -> Any:
    """The graph of a function that computes the expression from constants."""
    names = "abc"[: len(constants)]
    code = _function(f"def f({', '.join('abc')}):\n    return {text}\n")
    graph = graph_of(code)
    for instruction in graph.blocks[0].instructions:
        if instruction.op == "LOAD_LOCAL":
            instruction.op, instruction.arg = "CONST", constants[names.index(instruction.arg)]
    return graph


def constant(value: Any) -> Any:
    graph = graph_of(_function("def f(a, b, c):\n    return 0\n"))
    instruction = next(i for i in graph.blocks[0].instructions if i.op == "CONST")
    instruction.arg = value
    return graph


def _function(text: str) -> Any:
    return next(code for code in walk(compile(text, "<folding>", "exec")) if code.co_name == "f")


def equal(first: Any, second: Any) -> bool:
    try:
        Walk(first, second, QualifiedNames(first.code, second.code)).run()
    except Failure:
        return False
    return True


@pytest.mark.parametrize("text, constants, outcome", ROWS, ids=[f"{text} {values}" for text, values, _ in ROWS])
def test_folded(text: str, constants: List[Any], outcome: Any) -> None:
    assert equal(computed(text, constants), constant(outcome))
    assert equal(constant(outcome), computed(text, constants))


@pytest.mark.parametrize("text, constants, outcome", NOT_FOLDED, ids=[f"{t} {v}" for t, v, _ in NOT_FOLDED])
def test_not_the_same(text: str, constants: List[Any], outcome: Any) -> None:
    assert not equal(computed(text, constants), constant(outcome))
    assert equal(computed(text, constants), computed(text, constants))
