"""A free variable and a comprehension's variable of one name: two slots of the frame, which the proof must tell apart."""

from __future__ import annotations

import dis
import sys
from types import CodeType
from typing import List

import pytest

from depyf import Decompiler, verify

SOURCES = {
    "beside": "def outer(a, b):\n    def inner():\n        y = [f(a) for a in b]\n        return a, y\n",
    "captured": "def outer(a, b):\n    def inner():\n        y = [(lambda: b) for b in a]\n        return b, y\n",
    "written": "def outer(a, b):\n    def inner():\n        nonlocal a\n        a = [f(a) for a in b]\n        return a\n",
}
_LOADS = ("LOAD_FAST", "LOAD_FAST_BORROW", "LOAD_FAST_CHECK")


def inner_code(source: str) -> CodeType:
    module = compile(source, "<test>", "exec", dont_inherit=True)
    outer = next(c for c in module.co_consts if isinstance(c, CodeType))
    return next(c for c in outer.co_consts if isinstance(c, CodeType))


def with_argument(code: CodeType, offset: int, argument: int) -> CodeType:
    changed = bytearray(code.co_code)
    changed[offset + 1] = argument
    return code.replace(co_code=bytes(changed))


@pytest.mark.parametrize("name", sorted(SOURCES))
def test_both_come_back(name: str) -> None:
    decompiler = Decompiler(compile(SOURCES[name], "<test>", "exec", dont_inherit=True))
    decompiler.decompile(verify=True)
    assert decompiler.verdict is not None and decompiler.verdict.status == "EQUAL"


@pytest.mark.skipif(sys.version_info < (3, 12), reason="comprehensions are not inlined before 3.12")
def test_one_slot_is_not_taken_for_the_other() -> None:
    code = inner_code(SOURCES["beside"])
    slots: List[str] = [*code.co_varnames, *code.co_cellvars, *code.co_freevars]
    assert slots.count("a") == 2
    loads = [i for i in dis.get_instructions(code) if i.opname in _LOADS and i.arg == slots.index("a")]
    assert loads
    free = len(slots) - 1 - slots[::-1].index("a")
    for load in loads:
        assert verify(code, with_argument(code, load.offset, free)).status == "DIFFERENT"


@pytest.mark.skipif(sys.version_info < (3, 12), reason="comprehensions are not inlined before 3.12")
def test_another_free_variable_is_noticed() -> None:
    code = inner_code(SOURCES["beside"])
    slots = [*code.co_varnames, *code.co_cellvars, *code.co_freevars]
    free = len(slots) - 1 - slots[::-1].index("a")
    loads = [i for i in dis.get_instructions(code) if i.opname == "LOAD_DEREF" and i.arg == free]
    assert loads
    for load in loads:
        assert verify(code, with_argument(code, load.offset, slots.index("b"))).status == "DIFFERENT"
