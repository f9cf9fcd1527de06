"""A value that is stepped without an ITER: what a generator expression is given. Source text can only say `for`."""

from __future__ import annotations

import sys
from types import CodeType

import pytest

import depyf
from tools.assembler import disassemble

pytestmark = pytest.mark.skipif(
    sys.version_info >= (3, 15), reason="3.15's generator expressions ask for the iterator themselves"
)


def code_of(text: str) -> CodeType:
    module = compile(text, "<case>", "exec")
    return next(c for c in module.co_consts if isinstance(c, CodeType))


def genexpr(text: str) -> CodeType:
    outer = code_of(f"def f(a, b):\n    return {text}\n")
    return next(c for c in outer.co_consts if isinstance(c, CodeType))


def function(body: str) -> CodeType:
    """A function with the name and the parameter of a generator expression."""
    code = code_of(f"def g(_0):\n    {body}\n")
    names = [".0" if name == "_0" else name for name in code.co_varnames]
    return code.replace(co_name="<genexpr>", co_varnames=tuple(names))


def test_what_was_given_is_its_own_iterator() -> None:
    one = genexpr("(i for i in a)")
    assert depyf.verify(one, function("for i in _0: yield i"))
    assert depyf.verify(function("for i in _0: yield i"), one)


def test_only_right_before_it_is_stepped() -> None:
    one = genexpr("(i for i in a)")
    for body in ("for i in _0.x: yield i", "_0.x\n    for i in _0: yield i", "for i in (_0,): yield i"):
        assert depyf.verify(one, function(body)).status == "DIFFERENT", body


def test_what_iter_made_is_not_asked_again() -> None:
    two = genexpr("(j for i in a for j in i)")
    assert depyf.verify(two, function("for i in _0:\n        for j in i: yield j"))
    assert depyf.verify(two, function("for i in _0:\n        for j in _0: yield j")).status == "DIFFERENT"


def test_both_must_iterate() -> None:
    one = genexpr("(i for i in a)")
    assert depyf.verify(one, function("yield _0")).status == "DIFFERENT"


def test_a_value_that_was_no_argument_is_asked() -> None:
    """`for k in x.y` with its ITER cut out fails on a list, so it is another program."""
    module = compile("def f(x):\n    for k in x.y: print(k)\n", "<case>", "exec")
    code = next(c for c in module.co_consts if isinstance(c, CodeType))
    listing = disassemble(code)
    listing.instructions = [i for i in listing.instructions if i.op != "GET_ITER"]
    assert depyf.verify(code, listing.assemble()).status == "DIFFERENT"
