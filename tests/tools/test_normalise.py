"""The measure of readability: what bytecode cannot hold is no difference, and everything else is one."""

from __future__ import annotations

import ast
import sys

import pytest

from tools.normalise import normalise
from tools.readability import measure, report
from tools.sources import compile_text


def same(first: str, second: str) -> bool:
    def normal(body: str) -> str:
        text = "def f(a, b, c):\n" + "".join(f"    {line}\n" for line in body.splitlines())
        return ast.dump(normalise(ast.parse(text)))

    return normal(first) == normal(second)


SAME = (
    ("if a and b: c()", "if a:\n  if b:\n    c()"),
    ("if a: b()\nelse:\n  if c: c()", "if a: b()\nelif c: c()"),
    ("a()\nreturn None", "a()"),
    ("x: int = 1\na(x)", "x = 1\na(x)"),
    ("a(60 * 60)", "a(3600)"),
    ("a(-1, (1, 2)[0])", "a(-1, 1)"),
    ("if not (a or b): c()", "if not a and not b: c()"),
    ("'''doc\n      string'''\na()", "'''doc\nstring'''\na()"),
    ("for x in [1, 2]: a(x)", "for x in (1, 2): a(x)"),
    ("return a in {1, 2}", "return a in {2, 1}"),
    ("while 1: a()", "while True: a()"),
    ("del (a, b)", "del a, b"),
    ("return not a in b", "return a not in b"),
    ("a()\n...\npass", "a()"),
    ("if 0: a()\nb()", "b()"),
    ("try:\n  a()\nexcept E: return", "try:\n  a()\nexcept E: pass"),
)
DIFFERENT = (
    ("import os, sys", "import os\nimport sys"),
    ("with a, b: c()", "with a:\n  with b: c()"),
    ("del a, b", "del a\ndel b"),
    ("if a and b: c()", "if a or b: c()"),
    ("return a + b", "return b + a"),
    ("return a and b", "return b if a else a"),
    ("x = a\nreturn x", "return a"),
    ("for x in a: b()", "while a: b()"),
    ("if a: return b\nreturn c", "return b if a else c"),
    ("return 1", "return True"),
    ("return 0.0", "return -0.0"),
    ("a(1)", "a('1')"),
    ("try:\n  a()\nfinally:\n  b()", "a()\nb()"),
    ("a.b = c", "a.c = b"),
    ("return [a]", "return (a,)"),
    ("return f'{a}'", "return str(a)"),
    ("for x in a:\n  if x: continue\n  b()", "for x in a:\n  if not x: b()"),
)  # fmt: skip


@pytest.mark.parametrize("first, second", SAME)
def test_what_bytecode_cannot_hold_is_no_difference(first: str, second: str) -> None:
    assert same(first, second)


@pytest.mark.parametrize("first, second", DIFFERENT)
def test_everything_else_is_a_difference(first: str, second: str) -> None:
    assert not same(first, second)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="%-formatting is compiled as an f-string since 3.11")
def test_percent_formatting_of_a_tuple_is_an_f_string() -> None:
    assert same("return '%s: %r' % (a, b)", "return f'{a!s}: {b!r}'")


SOURCE = "class A:\n    def f(self):\n        return 1\n    def f(self):\n        return 2\ndef g(): return lambda: 3\n"


def test_functions_of_one_name_are_told_apart() -> None:
    whole = measure("m", SOURCE, SOURCE)
    assert (whole.functions, whole.same) == (3, 3)
    other = measure("m", SOURCE, SOURCE.replace("return 2", "return 5"))
    assert [(d.qualname, d.kind) for d in other.differences] == [("A.f", "Constant.value: another value")]
    assert "66.67 %" in report([other])


def test_other_text_with_the_same_bytecode_is_counted_beside() -> None:
    mine = "class A:\n    def f(self):\n        return self.__x\n"
    theirs = mine.replace("__x", "_A__x")
    codes = compile_text(mine, "x"), compile_text(theirs, "x")
    found = measure("m", mine, theirs, *codes).differences
    assert len(found) == 1 and found[0].same_bytecode


def test_a_function_that_is_missing_counts_as_different() -> None:
    assert [d.kind for d in measure("m", SOURCE, None).differences] == ["the function did not come back"] * 3


def test_dead_code_that_only_the_decompiled_text_has_is_a_difference() -> None:
    source, decompiled = "def f(a):\n    return a\n", "def f(a):\n    return a\n    if False:\n        b\n"
    codes = [compile_text(text, "m") for text in (source, decompiled)]
    assert measure("m", source, decompiled, *codes).same == 0
    assert measure("m", decompiled, source, *reversed(codes)).same == 1
