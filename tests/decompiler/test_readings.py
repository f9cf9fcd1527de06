"""Where a text is not proven, what fails is read in another way; a mistake in one function costs the looks of that one alone."""

from __future__ import annotations

import ast
import sys
import warnings
from types import CodeType
from typing import Any, Dict, List, Optional

import pytest

import depyf
from depyf import DecompilationError, Decompiler
from depyf.decompiler import passes
from depyf.decompiler.nesting import functions
from depyf.decompiler.pipeline import PLAIN, decompile_body
from depyf.decompiler.tree import Return, Stmt

TWO = """
def wrong(a):
    if a:
        return a.b
    return None

def right(a):
    with a as b, c:
        return b
"""


@pytest.fixture
def mistaken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pass, among those that plain text does without, that takes a return for another one."""

    def confuse(statements: List[Stmt], lines: Dict[int, Optional[int]]) -> None:
        for statement in statements:
            for inner in getattr(statement, "body", []):
                if isinstance(inner, Return) and type(statement).__name__ == "If":
                    statement.body = [Return(statement.test)]  # type: ignore[attr-defined]

    monkeypatch.setattr(passes, "return_choices", confuse)


def plain_example(a: Any, b: Any) -> Any:
    try:
        for x in a:
            if x and b or x is None:
                continue
            with x as y:
                b = [z for z in y if z] or b
    except ValueError as error:
        return b if b else error
    finally:
        b.close()
    return lambda: (a, b)


HARD_TO_KEEP = [
    "def f(c):\n    c &= (c := 3) if g else h\n",
    "def f(a):\n    y[a:g] *= c <= z >= (a := 3)\n",
    "def f(b):\n    b[a] >>= (b := y)\n",
    "def f(d):\n    return g(d or e, k=x if z else 1, **{e: g and h}, **i)\n",
    "def f(d):\n    return [*x, d or e, *g, x if z else 1], {**x, z: d or e, **g, y: x if z else 1}\n",
    "def f():\n    try:\n        a\n    except b:\n        return y if z else 1\n    raise c\n",
    "def f():\n    return a([i for () in d]), (i for () in b and c), lambda x: x or y\n",
    "def f():\n    b[y:b] += (y := a) if c else d\n",
    "def f():\n    b[y:b:c, a] += (y := a) or d\n",
    "def f():\n    return {} not in a > b and {} and c\n",
    "def f():\n    return {a or b: [i or b for i in c or d] for e in (c if d else e)}\n",
    "def f(a):\n    return g(a, *b, k=c or d), g({**b, 'a': c or d}, **{**b}, **c or d)\n",
    "def f():\n    x @= z and a\n",
    "def f(a):\n    del a\n    return g() and a\n",
    "def f():\n    b ^= [i for i in a or b]\n",
    "def f(a):\n    a.b @= (a := (c := d.e))\n",
]


@pytest.mark.parametrize("text", HARD_TO_KEEP)
def test_what_cannot_be_kept_costs_the_rest_of_a_function_no_names(text: str) -> None:
    [code] = [constant for constant in compile(text, "<text>", "exec").co_consts if isinstance(constant, CodeType)]
    assert decompile_body(code, reading=PLAIN).mode.safe


@pytest.mark.parametrize("text", HARD_TO_KEEP)
def test_what_cannot_be_kept_is_proven_all_the_same(text: str) -> None:
    plain = Decompiler(compile(text, "<text>", "exec"))
    plain.decompile(plain=True, verify=True)
    assert plain.verdict.status == "EQUAL", plain.verdict


@pytest.mark.skipif(sys.version_info < (3, 12), reason="has no type parameters")
def test_scopes_of_types_are_expressions_in_plain_text_too() -> None:
    text = "def f[T: a or b](x):\n    type X[U: (a and b)] = a if b else c\n    return a if b else c\n"
    plain = Decompiler(compile(text, "<text>", "exec"))
    made = plain.decompile(plain=True, verify=True)
    assert plain.verdict.status == "EQUAL", plain.verdict
    assert "return a if b else c" not in made


def test_plain_text_is_proven_too() -> None:
    plain = Decompiler(plain_example)
    text = plain.decompile(plain=True, verify=True)
    assert plain.verdict.status == "EQUAL"
    assert text != depyf.decompile(plain_example)


def test_a_mistake_costs_the_looks_of_one_function(mistaken: None) -> None:
    code = compile(TWO, "<case>", "exec")
    assert "return a.b" not in depyf.decompile(code)  # as it would be without a proof
    source = depyf.decompile(code, verify=True)
    assert source.verdict.status == "EQUAL"
    assert "return a.b" in source and "with a as b, c:" in source


def test_modules_and_classes_that_are_not_proven_are_read_in_other_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    ordinary, wrong = functions.tidy, []

    def forget(body: Any, kind: str) -> List[Stmt]:
        statements = ordinary(body, kind)
        if kind in ("module", "class") and not body.mode.ends_last:
            wrong.append(kind)
            del statements[-1]
        return statements

    monkeypatch.setattr(functions, "tidy", forget)
    code = compile("a = 1\nclass B:\n    c = 2\n    d = 3\nb = 4\n", "<case>", "exec")
    assert not depyf.verify(code, compile(depyf.decompile(code), "<case>", "exec"))
    source = depyf.decompile(code, verify=True)
    assert source.verdict.status == "EQUAL" and {"module", "class"} == set(wrong)
    assert ast.dump(ast.parse(source)) == ast.dump(ast.parse("a = 1\nclass B:\n    c = 2\n    d = 3\nb = 4\n"))


def test_what_is_proven_in_no_way_keeps_its_first_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(functions, "tidy", lambda body, kind: [])
    source = depyf.decompile(compile("a = 1\nb = 2\n", "<case>", "exec"), verify=True)
    assert source.verdict.status == "DIFFERENT" and source.strip() in ("", "pass")


def test_code_that_stands_in_is_made_of_the_plain_text(mistaken: None) -> None:
    namespace: Dict[str, Any] = {}
    exec(TWO, namespace)
    code = namespace["wrong"].__code__
    assert depyf.verify(code, Decompiler.decompile_and_compile_like(code, code))


def test_of_a_class_the_text_that_is_shown_is_the_one_that_is_proven(mistaken: None) -> None:
    class Two:
        def wrong(self) -> Any:
            if self:
                return self.b  # type: ignore[attr-defined]
            return None

        def right(self) -> int:
            return 1

    source = depyf.decompile(Two, verify=True)
    assert source.verdict.status == "EQUAL" and "return self.b" in source


def test_what_cannot_be_made_is_made_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any) -> None:
        raise DecompilationError("refused")

    monkeypatch.setattr(passes, "return_choices", refuse)
    assert "return a.b" in depyf.decompile(compile(TWO, "<case>", "exec"))


def test_where_plain_text_fails_as_well_the_first_reason_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    reasons = iter(("first", "second"))

    def refuse(*arguments: Any) -> None:
        raise DecompilationError(next(reasons))

    monkeypatch.setattr("depyf.decompiler.nesting.functions.tidy", refuse)
    with pytest.raises(DecompilationError, match="first"):
        depyf.decompile(plain_example)


def test_compiling_back_warns_of_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code = compile("def f(a):\n    return a is 1000\n", "<case>", "exec")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert depyf.decompile(code, verify=True).verdict.status == "EQUAL"


def test_code_whose_constants_have_no_hash(mistaken: None) -> None:
    namespace: Dict[str, Any] = {}
    exec("def wrong(a):\n    if a:\n        return 1234\n    return a.b\n", namespace)
    code = namespace["wrong"].__code__
    code = code.replace(co_consts=tuple({"k": []} if c == 1234 else c for c in code.co_consts))
    decompiler = Decompiler(code)
    decompiler.decompile(verify=True)
    assert decompiler.verdict.status == "EQUAL"
    assert "__const_" in decompiler.decompile(plain=True)


@pytest.mark.skipif(sys.version_info < (3, 14), reason="t-strings came with 3.14")
def test_texts_of_templates_are_compared_without_warnings() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code = compile("t'{(x for x in a if True)(60 * 60)}'", "<case>", "exec")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert depyf.decompile(code, verify=True).verdict.status == "EQUAL"
