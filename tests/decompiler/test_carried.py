"""Functions and iterators that code makes and hands on, as PyTorch does up to 2.12: defined in the text, carried over in the code."""

from __future__ import annotations

import dis
import sys
from types import CodeType, FunctionType
from typing import Any, List, Tuple

import pytest

from depyf import Decompiler
from depyf.decompiler.recompiling.carried import order_free
from depyf.decompiler.recompiling.iterators import take_iterators

SOURCE = "def outer(a, b):\n    def inner(x):\n        return (lambda y, z: (y, z, a, b))(g(x), x)\n    return inner\n"
RESUME = "resume_in_inner"


GENERATOR = SOURCE.replace("(y, z, a, b)", "([i + a for i in (y, z)], tuple(i for i in b))")


def nested(code: CodeType, name: str) -> CodeType:
    return next(c for c in code.co_consts if isinstance(c, CodeType) and c.co_name == name)


def with_resume_function() -> Tuple[CodeType, CodeType]:
    """A function that makes another one, calls it and forgets it, under a name that no definition would give it."""
    inner = nested(nested(compile(SOURCE, "<test>", "exec", dont_inherit=True), "outer"), "inner")
    made = nested(inner, "<lambda>").replace(co_name=RESUME)
    if hasattr(made, "co_qualname"):
        made = made.replace(co_qualname=RESUME)
    constants: List[Any] = []
    for constant in inner.co_consts:
        if isinstance(constant, CodeType):
            constant = made
        elif isinstance(constant, str) and constant.endswith("<lambda>"):
            constant = "__resume_at_6_38"
        constants.append(constant)
    return inner.replace(co_consts=tuple(constants)), made


def test_a_function_that_is_called_and_forgotten_is_defined() -> None:
    code, made = with_resume_function()
    decompiler = Decompiler(code)
    text = decompiler.decompile(verify=True)
    assert decompiler.verdict and f"def {RESUME}(y, z):" in text
    assert any(constant is made for constant in decompiler.compile().co_consts)


def test_the_code_stands_in_for_the_original() -> None:
    code, made = with_resume_function()
    like = Decompiler.decompile_and_compile_like(code, code)
    outer: Any = FunctionType(compile(SOURCE, "<test>", "exec", dont_inherit=True).co_consts[0], {})
    function = FunctionType(like, {"g": lambda x: x + 1}, "inner", None, outer("a", "b").__closure__)
    assert function(1) == (2, 1, "a", "b")
    assert any(constant is made for constant in like.co_consts)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="up to 3.10 the names are constants of the code around")
def test_generators_in_it_keep_their_names() -> None:
    inner = nested(nested(compile(GENERATOR, "<test>", "exec", dont_inherit=True), "outer"), "inner")
    made = nested(inner, "<lambda>").replace(co_name=RESUME, co_qualname=RESUME)
    generator = nested(made, "<genexpr>").replace(co_qualname="elsewhere.<locals>.<genexpr>")
    made = made.replace(co_consts=tuple(generator if c == nested(made, "<genexpr>") else c for c in made.co_consts))
    code = inner.replace(co_consts=tuple(made if isinstance(c, CodeType) else c for c in inner.co_consts))
    decompiler = Decompiler(code)
    decompiler.decompile(verify=True)
    assert decompiler.verdict, decompiler.verdict
    assert any(constant is made for constant in decompiler.compile().co_consts)


def test_two_of_one_name() -> None:
    source = "def outer(a):\n    def inner(x):\n        if x:\n            return (lambda y: (y, a))(g(x))\n"
    source += "        return (lambda y: (a, y))(g(x))\n    return inner\n"
    inner = nested(nested(compile(source, "<test>", "exec", dont_inherit=True), "outer"), "inner")
    constants: List[Any] = []
    for constant in inner.co_consts:
        if isinstance(constant, CodeType):
            constant = constant.replace(co_name=RESUME)
            if hasattr(constant, "co_qualname"):
                constant = constant.replace(co_qualname=f"{RESUME}_{len(constants)}")
        elif isinstance(constant, str) and constant.endswith("<lambda>"):
            constant = "__resume_at_6_38"
        constants.append(constant)
    decompiler = Decompiler(inner.replace(co_consts=tuple(constants)))
    decompiler.decompile(verify=True)
    assert decompiler.verdict, decompiler.verdict


def test_another_body_is_not_carried_over() -> None:
    code, made = with_resume_function()
    other = made.replace(co_consts=tuple(constant if constant is None else "other" for constant in made.co_consts), co_name=RESUME)
    changed = code.replace(co_consts=tuple(other if constant is made else constant for constant in code.co_consts))
    assert any(constant is other for constant in Decompiler(changed).compile().co_consts)


@pytest.mark.parametrize("names", [("a", "b"), ("b", "a")])
def test_order_of_free_variables(names: Tuple[str, str]) -> None:
    source = "def outer(a, b):\n    def inner():\n        nonlocal a\n        a += b\n        return a, b\n    return inner\n"
    namespace: Any = {}
    exec(source, namespace)
    inner = namespace["outer"](1, 2)
    cells = dict(zip(inner.__code__.co_freevars, inner.__closure__))
    code = order_free(inner.__code__, names)
    assert code.co_freevars == names
    assert FunctionType(code, {}, "inner", None, tuple(cells[name] for name in names))() == (3, 2)


@pytest.mark.skipif(sys.version_info >= (3, 15), reason="since 3.15 an iterator takes two slots of the stack, and is no value")
def test_iterators_are_handed_on() -> None:
    module = compile("def f(x):\n    return h(iter(x), g(), x)\n", "<test>", "exec", dont_inherit=True)
    plain = nested(module, "f")
    code = take_iterators(plain, plain.replace(co_names=tuple("it" if n == "iter" else n for n in plain.co_names)))
    assert any(i.opname == "GET_ITER" for i in dis.get_instructions(code))
    code = code.replace(co_names=tuple("it" if n == "iter" else n for n in code.co_names))
    decompiler = Decompiler(code)
    text = decompiler.decompile(verify=True)
    assert decompiler.verdict, decompiler.verdict
    assert "iter(x)" in text
