"""What a verdict says to people and to programs, and what `verify` takes."""

from __future__ import annotations

from typing import Any

import pytest

import depyf
from depyf.proof import DIFFERENT, EQUAL, UNKNOWN, Verdict, verify
from tests.proof.cases import walk


def first(a: Any, b: Any) -> Any:
    if a:
        print(a)
    return a + b


def second(a: Any, b: Any) -> Any:
    if a:
        print(b)
    return a + b


def renamed(function: Any) -> Any:
    code = function.__code__.replace(co_name="first")
    return code.replace(co_qualname="first") if hasattr(code, "co_qualname") else code


def test_only_equal_is_true() -> None:
    assert Verdict(EQUAL)
    assert not Verdict(DIFFERENT)
    assert not Verdict(UNKNOWN)
    assert str(Verdict(EQUAL)) == "EQUAL"


def test_different_says_where_and_how() -> None:
    verdict = verify(first.__code__, renamed(second))
    assert verdict.status == "DIFFERENT"
    assert "CALL with 1 argument" in verdict.reason
    assert "the argument a" in verdict.reason and "the argument b" in verdict.reason
    assert verdict.offsets is not None
    assert all(isinstance(offset, int) and offset > 0 for offset in verdict.offsets)
    assert [event.split(" (")[0] for event in verdict.path] == [
        "TRUTH",
        "the value of TRUTH is True",
        "LOAD_GLOBAL print",
    ]
    assert verdict.where == ("first",)
    text = str(verdict)
    assert text.startswith("DIFFERENT: at CALL with 1 argument: ")
    assert f"at offset {verdict.offsets[0]} of the first and offset {verdict.offsets[1]} of the second" in text
    assert "    LOAD_GLOBAL print (at " in text


def test_a_long_path_is_cut_when_printed() -> None:
    lines = "".join(f"    g{i}()\n" for i in range(40))
    texts = [f"def f():\n{lines}    return {value}\n" for value in (1, 2)]
    codes = [next(code for code in walk(compile(text, "", "exec")) if code.co_name == "f") for text in texts]
    verdict = verify(*codes)
    assert len(verdict.path) == 80
    assert "... 68 before" in str(verdict)


def test_functions_methods_and_code_objects() -> None:
    class A:
        def f(self) -> int:
            return 1

    assert verify(A().f, A.f)
    assert verify(A.f, A.f.__code__)
    assert verify(first, first.__code__)
    assert depyf.verify is verify
    with pytest.raises(TypeError, match="not int"):
        verify(first, 1)


def test_defaults_belong_to_functions() -> None:
    def make(default: Any) -> Any:
        def f(a: Any = default, *, b: Any = default) -> Any:
            return a, b

        return f

    shared = object()
    assert verify(make(shared), make(shared))
    assert verify(make((1, 2.0)), make((1, 2.0)))
    assert verify(make(1), make(True)).status == DIFFERENT
    assert verify(make(object()), make(object())).status == DIFFERENT
    assert verify(make(1).__code__, make(True).__code__)


def nested(text: str) -> Any:
    return compile(text, "<nested>", "exec")


def test_a_nested_difference_names_the_code_object() -> None:
    text = "def f():\n    class A:\n        def g(self): return {}\n    return A\n"
    verdict = verify(nested(text.format(1)), nested(text.format(2)))
    assert verdict.status == DIFFERENT
    assert verdict.where == ("<module>", "f", "A", "g")
    assert "<module> > f > A > g" in str(verdict)


def test_an_unreadable_nested_code_object_makes_the_whole_unknown() -> None:
    module = nested("def f():\n    return 1\n\ndef g():\n    return 2\n")
    broken = [c for c in module.co_consts if hasattr(c, "co_code")][0].replace(co_code=first.__code__.co_code[:2])
    constants = tuple(broken if getattr(c, "co_name", "") == "f" else c for c in module.co_consts)
    verdict = verify(module, module.replace(co_consts=constants))
    assert verdict.status == UNKNOWN
    assert verdict.where == ("<module>", "f")
