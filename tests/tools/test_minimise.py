"""The minimiser: what is left is small, and still has the property."""

from __future__ import annotations

import ast
import sys

import pytest

from tools.minimise import by_lines, by_tree, function_source, minimise
from tools.programs import program
from tools.sources import compile_text


def compiles(text: str) -> bool:
    try:
        compile_text(text, "<test>")
    except (SyntaxError, ValueError):
        return False
    return True


def has_yield_in_loop(text: str) -> bool:
    if not compiles(text):
        return False
    loops = [node for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.For, ast.While))]
    return any(isinstance(inner, ast.Yield) for loop in loops for inner in ast.walk(loop))


@pytest.mark.skipif(sys.version_info < (3, 9), reason="3.8 has no ast.unparse; by_lines stands in for it")
def test_a_random_program_shrinks_to_what_matters() -> None:
    text = next(text for text in map(program, range(500)) if has_yield_in_loop(text) and len(text) > 600)
    small = by_tree(text, has_yield_in_loop, seconds=30)
    assert has_yield_in_loop(small)
    assert len(small) < 120


def test_by_lines_keeps_what_fails() -> None:
    text = "import os\nx = 1\ny = 2\nz = x + y\n"
    assert by_lines(text, lambda candidate: "y = 2" in candidate and compiles(candidate), seconds=5) == "y = 2\n"


def test_what_does_not_fail_is_given_back() -> None:
    assert minimise("x = 1\n", lambda text: False, seconds=1) == "x = 1\n"


def test_the_source_of_a_method_stands_in_its_class() -> None:
    text = function_source("textwrap", "TextWrapper._munge_whitespace")
    assert text.startswith("class TextWrapper:\n    def _munge_whitespace(self")
    assert compiles(text)
