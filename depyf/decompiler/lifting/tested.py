"""Tests that decide nothing, in the middle of an expression: `f(a, b if c or True else d)` keeps the test of `c`.

The test waits for the value that is evaluated behind it, and both become one operand: `b if c or True else None`.
"""

from __future__ import annotations

from typing import List, Optional

from depyf.bytecode.canonical import Block, Instruction
from depyf.bytecode.effects import OPERATIONS as KNOWN
from depyf.bytecode.effects import effect_of

from ..prepare.depths import sinks_below
from ..structuring.logic import always, behind, make_and, make_or, negate, plain
from ..tree import BoolOp, Const, Expr
from .lift import Lifter
from .needs import NeedsTemporaries
from .states import State
from .values import NULL, Chained, ClosureCell, Copied, Fresh, Function, Held, Joined, Local, Marker

_TERMINATORS = frozenset(("FALL", "JUMP", "BRANCH", "NEXT", "RETURN", "RAISE", "RERAISE"))


_IN_EXPRESSIONS = frozenset(("BRANCH", "FALL", "JUMP", "NEXT"))  # the last in an inlined comprehension
_FORMATS = frozenset(("FORMAT", "CONVERT", "BUILD_INTERPOLATION"))
_STATEMENTS = frozenset(("ITER", "AITER", "AWAITABLE", "YIELD_FROM_ITER"))  # what they make is no value any more


def is_operand(value: Expr, block: Block) -> bool:
    """Whether a value is one of the expression that `block` is in: not one that waits for a clean-up to be over."""
    if isinstance(value, Joined):  # its ways may meet where a copy of the clean-up begins
        return all(source.handler is block.handler for source in value.block.predecessors)
    return not isinstance(value, Held) or value.block.handler is block.handler


def decides_nothing(lifter: Lifter, block: Block) -> bool:
    """Whether the branch that ends `block` leads to one place, and other operands of an expression wait for what follows."""
    if lifter.safe or len(block.successors) != 2 or block.successors[0] is not block.successors[1]:
        return False
    if any(p is not block for p in block.successors[0].predecessors) or not _evaluates(block.successors[0]):
        return False
    waiting = [v for v in lifter.pending if is_operand(v, block)]
    return bool(waiting) or any(not isinstance(v, (Fresh, Held, Joined)) for v in _of_statement(lifter, block))


def _of_statement(lifter: Lifter, block: Block) -> List[Expr]:
    """The values on the stack that belong to the statement `block` is in: not what a try found there or a statement keeps."""
    begins = block.handler.depth if block.handler is not None else 0
    markers = [place for place, value in enumerate(lifter.stack) if isinstance(value, Marker)]
    return lifter.stack[max(begins, markers[-1] + 1 if markers else 0) :]


PASSED = Const(True)  # what a test that decides nothing gives to the place where its ways meet


def passed(test: Expr, one: Expr, other: Expr) -> Optional[Expr]:
    """The value that `test` gives to such a place, where its ways may have made further tests; None if it is no such place."""
    if one is PASSED and other is PASSED:
        return always(test)
    if one is PASSED:
        return make_or(test, other)
    if other is PASSED:
        further = _tested_in_vain(one)
        return make_or(negate(test), one) if further is None else always(make_and(test, further))
    return None


def _tested_in_vain(value: Expr) -> Optional[Expr]:
    """The test of `a or True`: behind another test it may be the second comparison of a chain."""
    value = plain(value)
    if isinstance(value, BoolOp) and value.op == "or" and len(value.values) == 2 and _is_true(value.values[1]):
        return value.values[0]
    return None


def _is_true(value: Expr) -> bool:
    return isinstance(value, Const) and value.value is True


def passing(state: State) -> State:
    """A state on the way to such a place."""
    return State([*state.stack, PASSED], state.pending, state.tests)


def without_test(state: State) -> State:
    """The state at such a place: which way led there waits, as a test, for the value that is evaluated next."""
    joined = state.stack[-1]
    return State(state.stack[:-1], [v for v in state.pending if v is not joined], [joined])


def ways_meet(entry: State, block: Block, above: Optional[Block]) -> bool:
    """Whether all ways from `above`, the dominator, meet in the middle of an expression, with the same values."""
    if len(block.predecessors) < 2 or entry.tests or above is None or block.terminator.op == "NEXT":
        return False
    if not any(isinstance(v, (Held, Joined, Chained)) and is_operand(v, block) for v in entry.pending):
        if not any(isinstance(v, Copied) or _waits_as_local(v, block) for v in entry.stack):
            return False
    if any(isinstance(v, Joined) and v.block is block for v in entry.stack) or not _evaluates(block):
        return False
    work, seen = [above], {block, above}
    while work:
        for target in work.pop().successors:
            if target in seen:
                continue
            if target.terminator.op not in _IN_EXPRESSIONS or sinks_below(target, block.depth):
                return False  # at the end of the statement at the latest: the rest of the function is not walked
            seen.add(target)
            work.append(target)
    return all(p in seen for p in block.predecessors)


def _waits_as_local(value: Expr, block: Block) -> bool:
    """Whether a value is a variable, read as an operand: nobody sees that, unless it is unbound."""
    return isinstance(value, Held) and isinstance(value.value, Local) and is_operand(value, block)


def _evaluates(block: Block) -> bool:
    """Whether a block begins with a value of its own, which tests could stand in front of: not with one that it finds there."""
    first = block.instructions[0]
    return first.op not in _TERMINATORS and first.op in KNOWN and not effect_of(first.op, first.arg)[0]


def run_behind_tests(lifter: Lifter, block: Block, tests: List[Expr]) -> None:
    """Executes a block whose first value the tests belong to."""
    waiting = True
    waited = len(lifter.pending)
    for lifter.position, instruction in enumerate(block.instructions):
        if lifter.skip:
            lifter.skip -= 1
            continue
        if waiting and _takes_value(lifter, instruction):
            _attach(lifter, tests, waited)
            waiting = False
        lifter.operations[instruction.op](lifter, instruction)


def _takes_value(lifter: Lifter, instruction: Instruction) -> bool:
    """Whether the value that began with the block is complete: it is used with what was there before, or leaves the stack."""
    if instruction.op in _TERMINATORS or instruction.op not in KNOWN:
        return True
    if instruction.op in _STATEMENTS and len(lifter.stack) <= lifter.entry_depth + 1:
        return True  # else it is the iterator of a comprehension, which is called at once
    if instruction.op in ("COPY", "SWAP") and len(lifter.stack) - instruction.arg <= lifter.entry_depth:
        following = lifter.following()
        return following is None or following.op != "MAKE_FUNCTION"  # as the first operand of a chain
    needed, pushed = effect_of(instruction.op, instruction.arg)
    left = len(lifter.stack) - needed
    if instruction.op in ("BUILD_TUPLE", "BUILD_UNPACK", "BUILD_SLICE") and needed and left == lifter.entry_depth:
        return not isinstance(lifter.stack[left], ClosureCell)  # its first item is enough: it may be the arguments of a call
    if instruction.op in _FORMATS and left == lifter.entry_depth:
        return True  # what is made of it is no value, but a part of an f-string
    return left < lifter.entry_depth or left + pushed <= lifter.entry_depth


def _is_statement(value: Expr) -> bool:
    """Whether a value is what `def` or a comprehension makes: part of a statement or expression that is not complete."""
    return isinstance(value, Function) and value.code.co_name != "<lambda>"


def _attach(lifter: Lifter, tests: List[Expr], waited: int) -> None:
    """Puts the tests in front of the first value; `waited` values were pending before it was evaluated."""
    place = lifter.entry_depth
    while place < len(lifter.stack) and lifter.stack[place] is NULL:
        place += 1
    value = lifter.stack[place] if place < len(lifter.stack) else NULL
    if isinstance(value, Chained):
        value = lifter.stack[place] = lifter.walrus(value)
    if isinstance(value, Marker) or _is_statement(value) or sum(1 for v in lifter.stack if v is value) > 1:
        raise NeedsTemporaries()
    made = value
    for test in reversed(tests):
        made = behind(test if isinstance(test, Joined) else always(test), made)
    lifter.stack[place] = made
    if any(v is value for v in lifter.pending):
        lifter.pending = [made if v is value else v for v in lifter.pending]
    else:
        lifter.pending.insert(waited, made)
