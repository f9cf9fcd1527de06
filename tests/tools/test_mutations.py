"""Mutants: repeatable, of every kind, and never a change that cannot be seen."""

from __future__ import annotations

import types
from typing import Any, List

from tools.flow import Flow
from tools.mutants import candidates, disassemble, make
from tools.sources import compile_text

TEXT = """
def f(a, b, *args, key=None):
    total = 0
    try:
        for item in a.items(b):
            if item > key:
                total += item - 1
            elif item is not None:
                return b.x
    except ValueError as error:
        total = g(error, a)
    except KeyError:
        b.clear()
    try:
        a.close()
        b.close()
    except OSError:
        pass
    def inner(x, y=1):
        return total, a, x
    return inner
"""


def code_of(text: str) -> types.CodeType:
    namespace: Any = {}
    exec(compile_text(text, "<test>"), namespace)
    return namespace["f"].__code__  # type: ignore[no-any-return]


def names(text: str) -> List[str]:
    return [f"{m.kind} {m.place} {m.what}" for some in candidates(code_of(text)).values() for m in some]


def test_the_same_mutants_every_time() -> None:
    assert names(TEXT) == names(TEXT)


def test_every_kind_applies_to_a_function_that_has_everything() -> None:
    assert set(candidates(code_of(TEXT))) == {
        "instruction", "constant", "argument", "jump target", "operands' order", "handler's range", "flag", "cell", "default",
    }  # fmt: skip


def test_each_mutant_is_another_object() -> None:
    code = code_of(TEXT)
    made = 0
    for some in candidates(code).values():
        for mutation in some:
            pair = make(code, mutation)
            if pair is not None and isinstance(pair[0], types.CodeType):
                made += 1
                fields = ("co_code", "co_consts", "co_flags", "co_varnames", "co_freevars", "co_exceptiontable",
                          "co_argcount", "co_kwonlyargcount", "co_posonlyargcount")  # fmt: skip
                assert any(repr(getattr(pair[0], n, 0)) != repr(getattr(pair[1], n, 0)) for n in fields), mutation
    assert made > 40


def test_dead_stores_and_dead_code_are_not_changed() -> None:
    offered = names("def f(a):\n    unused = 5\n    if a:\n        return 1\n        b = 7\n    return 2\n")
    assert not any("5 ->" in name or "7 ->" in name for name in offered)
    assert any("2 ->" in name for name in offered)


def test_flow_knows_what_is_reached_and_how_deep() -> None:
    flow = Flow(disassemble(code_of("def f(a, b):\n    while True:\n        if a(b): return b\n")))
    returns = [index for index, instruction in enumerate(flow.code) if instruction.op == "RETURN_VALUE"]
    assert [flow.depth[index] for index in returns if index in flow.reachable] == [1]
