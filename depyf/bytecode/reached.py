"""Which raw instructions may run, before anything is lowered: jumps, handlers, and tests of constants, whose outcome is known."""

from __future__ import annotations

import operator
from typing import Any, Callable, Dict, List, Optional, Set, Tuple

from depyf.bytecode.builder import Builder
from depyf.bytecode.steps_values import COMMON_CONSTANTS


def reached(builder: Builder, start: int, silent: Set[int]) -> Set[int]:
    """The raw instructions that may run, from `start` on; not those that test a constant. `silent` opcodes cannot raise: the handler
    of a try whose body has nothing else does not run."""
    raw, covering = builder.raw, builder.protection.covering
    leaving = {raw.layout.number[name] for name in _LEAVING if name in raw.layout.number}
    seen: Set[int] = set()
    visited: Set[Tuple[int, Truths]] = set()
    work: List[Tuple[int, Truths]] = [(start, ())]
    while work:
        place = index, known = work.pop()
        if place in visited or index >= len(raw.ops):
            continue
        visited.add(place)
        step = _step_with_constants(builder, index, known)
        if step is not None:
            if raw.name(index) not in _OF_TESTS:
                seen.add(index)
            work.append(step)
            continue
        seen.add(index)
        if raw.ops[index] not in leaving:
            work.append((index + 1, ()))
        if index in raw.targets:
            work.append((raw.targets[index], ()))
        if covering is not None and covering[index] >= 0 and raw.ops[index] not in silent:
            work.append((builder.protection.handlers[covering[index]][0], ()))
    return seen


Truths = Tuple[bool, ...]  # of the topmost values of the stack, as far as these are constants
_KNOWN = 4  # more of them are not needed for a test
_OF_TESTS = frozenset(("COPY", "TO_BOOL", "POP_JUMP_IF_TRUE", "POP_JUMP_IF_FALSE"))


def _step_with_constants(builder: Builder, index: int, known: Truths) -> Optional[Tuple[int, Truths]]:
    """Where control goes from an instruction that does nothing but with constants, and what is known there; it cannot raise."""
    raw = builder.raw
    name, value = raw.name(index), _constant(builder, index)
    if type(value) in _FIXED:  # generated code may hold any object, whose truth is its own affair
        return index + 1, (*known, bool(value))[-_KNOWN:]
    if not known:
        return None
    if name == "COPY" and raw.args[index] == 1:
        return index + 1, (*known, known[-1])[-_KNOWN:]
    if name == "UNARY_NOT":
        return index + 1, (*known[:-1], not known[-1])
    if name in ("TO_BOOL", "NOT_TAKEN"):
        return index + 1, known
    if name == "POP_TOP":
        return index + 1, known[:-1]
    if name in ("POP_JUMP_IF_TRUE", "POP_JUMP_IF_FALSE"):
        jumps = known[-1] is (name == "POP_JUMP_IF_TRUE")
        return raw.targets[index] if jumps else index + 1, known[:-1]
    return None


_LEAVING = (
    "RETURN_VALUE RETURN_CONST RAISE_VARARGS RERAISE JUMP_FORWARD JUMP_BACKWARD JUMP_BACKWARD_NO_INTERRUPT"
).split()


def _constant_test(builder: Builder, index: int) -> Optional[Tuple[int, int]]:
    """Of a constant that is loaded to be tested (3.13+): where its test begins, and where control goes from it. It cannot raise."""
    raw = builder.raw
    value, at = _constant(builder, index), index + 1
    if type(value) not in _FIXED:  # generated code may hold any object, whose truth is its own affair
        return None
    while at < len(raw.ops) and raw.name(at) in _TRUTHS:  # `not None` where nothing folded it
        value, at = _TRUTHS[raw.name(at)](value), at + 1
    names = [raw.name(i) for i in range(at, min(at + 3, len(raw.ops)))]
    if names not in _TESTS or raw.args[at] != 1:
        return None
    return at, raw.targets[at + 2] if bool(value) is (names == _TESTS[0]) else at + 3


_TRUTHS: Dict[str, Callable[[object], bool]] = {"TO_BOOL": bool, "UNARY_NOT": operator.not_}
_TESTS = [["COPY", "TO_BOOL", "POP_JUMP_IF_TRUE"], ["COPY", "TO_BOOL", "POP_JUMP_IF_FALSE"]]
_FIXED = (bool, int, float, complex, str, bytes, tuple, frozenset, type(None), type(...))


def drop_constant_tests(builder: Builder, running: Set[int], entered: Set[int]) -> None:
    """Makes jumps of the tests of constants that run, unless something else jumps into them."""
    raw = builder.raw
    nop, jump = raw.layout.number["NOP"], raw.layout.number["JUMP_FORWARD"]
    for index in running:
        test = _constant_test(builder, index)
        if test is not None and entered.isdisjoint(range(index + 1, test[0] + 3)):
            at, behind = test
            raw.ops[at : at + 3] = [nop, nop, nop if behind == at + 3 else jump]
            if behind == at + 3:
                del raw.targets[at + 2]


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
