"""Which raw instructions may run, before anything is lowered: jumps, handlers, and tests of constants, whose outcome is known."""

from __future__ import annotations

from typing import Any, Optional, Set

from depyf.bytecode.builder import Builder
from depyf.bytecode.steps_values import COMMON_CONSTANTS


def reached(builder: Builder, start: int) -> Set[int]:
    """The raw instructions that may run, from `start` on; not those that test a constant."""
    raw, covering = builder.raw, builder.protection.covering
    leaving = {raw.layout.number[name] for name in _LEAVING if name in raw.layout.number}
    nothing = {raw.layout.number[name] for name in _NOTHING if name in raw.layout.number}
    work, seen = [start], set()
    while work:
        index = work.pop()
        if index in seen or index >= len(raw.ops):
            continue
        seen.add(index)
        behind = _behind_constant_test(builder, index)
        if behind is not None:
            work.append(behind)
            continue
        if raw.ops[index] not in leaving:
            work.append(index + 1)
        if index in raw.targets:
            work.append(raw.targets[index])
        if covering is not None and covering[index] >= 0 and raw.ops[index] not in nothing:
            work.append(builder.protection.handlers[covering[index]][0])
    return seen


_LEAVING = (
    "RETURN_VALUE RETURN_CONST RAISE_VARARGS RERAISE JUMP_FORWARD JUMP_BACKWARD JUMP_BACKWARD_NO_INTERRUPT"
).split()
_NOTHING = ("NOP", "NOT_TAKEN")  # leave nothing that could raise: the handler of a try without a body does not run


def _behind_constant_test(builder: Builder, index: int) -> Optional[int]:
    """Where control goes from a constant that is loaded to be tested (3.13+): the test cannot raise."""
    raw = builder.raw
    names = [raw.name(i) for i in range(index + 1, min(index + 4, len(raw.ops)))]
    if names not in _TESTS or raw.args[index + 1] != 1:
        return None
    value = _constant(builder, index)
    if type(value) not in _FIXED:  # generated code may hold any object, whose truth is its own affair
        return None
    return raw.targets[index + 3] if bool(value) is (names == _TESTS[0]) else index + 4


_TESTS = [["COPY", "TO_BOOL", "POP_JUMP_IF_TRUE"], ["COPY", "TO_BOOL", "POP_JUMP_IF_FALSE"]]
_FIXED = (bool, int, float, complex, str, bytes, tuple, frozenset, type(None), type(...))


def drop_constant_tests(builder: Builder, running: Set[int], entered: Set[int]) -> None:
    """Makes jumps of the tests of constants that run, unless something else jumps into them."""
    raw = builder.raw
    nop, jump = raw.layout.number["NOP"], raw.layout.number["JUMP_FORWARD"]
    for index in running:
        behind = _behind_constant_test(builder, index)
        if behind is not None and entered.isdisjoint(range(index + 1, index + 4)):
            raw.ops[index + 1 : index + 4] = [nop, nop, nop if behind == index + 4 else jump]
            if behind == index + 4:
                del raw.targets[index + 3]


def _constant(builder: Builder, index: int) -> Any:
    """What an instruction loads, if that is a constant; else something whose truth is not fixed."""
    raw = builder.raw
    name, arg = raw.name(index), raw.args[index]
    if name == "LOAD_SMALL_INT":
        return arg
    if name == "LOAD_CONST" and arg < len(raw.code.co_consts):
        return raw.code.co_consts[arg]
    if name == "LOAD_COMMON_CONSTANT" and arg < len(COMMON_CONSTANTS) and COMMON_CONSTANTS[arg][0] == "CONST":
        return COMMON_CONSTANTS[arg][1]
    return NotImplemented
