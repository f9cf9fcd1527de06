"""Recorded runs: the same code behaves the same, and a small change is seen."""

from __future__ import annotations

import types
from typing import Any

import pytest

from tools.differential import compare, trace
from tools.proxies import Injected
from tools.sources import compile_text


def code_of(body: str, parameters: str = "a, b, c") -> types.CodeType:
    namespace: Any = {}
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    exec(compile_text(f"def f({parameters}):\n{lines}", "<test>"), namespace)
    return namespace["f"].__code__  # type: ignore[no-any-return]


SAME = {
    "layout": ("return a.x(b,\n  c)", "return a.x(b, c)"),
    "temporary": ("x = b + c\nreturn x", "return b + c"),
    "branches": ("if a:\n  return b\nelse:\n  return c", "if a:\n  return b\nreturn c"),
    "swap": ("b, c = c, b\nreturn b", "return c"),
}
DIFFERENT = {
    "order": ("return (a.x, b.y)", "x = b.y\nreturn (a.x, x)"),
    "operand": ("return a + b", "return b + a"),
    "constant": ("return a[1]", "return a[True]"),
    "truth": ("return b if a else c", "return c if a else b"),
    "handler": ("try:\n  a.x()\n  b.y()\nexcept Exception:\n  c.z()", "a.x()\ntry:\n  b.y()\nexcept Exception:\n  c.z()"),
    "which handler": ("try:\n  a.x()\nexcept KeyError:\n  c.z()", "try:\n  a.x()\nexcept ValueError:\n  c.z()"),
    "finally": ("try:\n  a.x()\nfinally:\n  c.z()", "a.x()\nc.z()"),
    "cause": ("try:\n  a.x()\nexcept Exception as e:\n  raise KeyError from e", "try:\n  a.x()\nexcept Exception as e:\n  raise KeyError"),
    "default": ("return lambda x=1: x", "return lambda x=2: x"),
    "yielded": ("x = yield a\nyield x", "yield a\nyield None"),
    "global": ("global g\ng = a", "g = a"),
    "in place": ("a += b\nreturn a", "a = a + b\nreturn a"),
    "with": ("with a as x:\n  b(x)", "x = a.__enter__()\nb(x)"),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(SAME))
def test_what_is_the_same_is_not_told_apart(name: str) -> None:
    first, second = map(code_of, SAME[name])
    assert compare(first, second, seeds=6) is None


@pytest.mark.parametrize("name", sorted(DIFFERENT))
def test_what_differs_is_told_apart(name: str) -> None:
    first, second = map(code_of, DIFFERENT[name])
    found = compare(first, second, seeds=40)
    assert found is not None
    assert found.first != found.second
    assert "events" in str(found)


def test_an_exception_is_injected_at_the_event_asked_for() -> None:
    code = code_of("a.x\nb.y\nc.z")
    free = trace(code, 0, None, (Injected,))
    assert [line for line in free if line.startswith("raised")] == []
    hit = trace(code, 0, 1, (Injected,))
    assert hit[0] == free[0]
    assert any("injected at 1" in line for line in hit if line.startswith("raised"))


def test_code_that_spins_without_events_is_stopped() -> None:
    assert "Stuck" in trace(code_of("while True: pass"), 0, None, (Injected,), seconds=0.2)
