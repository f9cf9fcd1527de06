"""Tests that decide nothing, in the middle of an expression: `f(a, b if c or True else d)` keeps the test of `c`.

The test waits for the value that is evaluated behind it, and both become one operand: `(c or True) and b`.
"""

from __future__ import annotations

from typing import List

from depyf.bytecode.canonical import Block, Instruction
from depyf.bytecode.effects import OPERATIONS as KNOWN
from depyf.bytecode.effects import effect_of

from .lift import Lifter, NeedsTemporaries
from .logic import always, make_and
from .tree import Expr
from .values import Fresh, Marker

_TERMINATORS = frozenset(("FALL", "JUMP", "BRANCH", "NEXT", "RETURN", "RAISE", "RERAISE"))


_STATEMENTS = frozenset(("ITER", "AITER", "AWAITABLE", "YIELD_FROM_ITER"))  # what they make is no value any more


def decides_nothing(lifter: Lifter, block: Block) -> bool:
    """Whether the branch that ends `block` leads to one place, and other operands of an expression wait for what follows."""
    if lifter.safe or len(block.successors) != 2 or block.successors[0] is not block.successors[1]:
        return False
    if any(p is not block for p in block.successors[0].predecessors):
        return False
    return bool(lifter.pending) or any(not isinstance(v, (Marker, Fresh)) for v in lifter.stack)


def run_behind_tests(lifter: Lifter, block: Block, tests: List[Expr]) -> None:
    """Executes a block whose first value the tests belong to."""
    waiting = True
    for lifter.position, instruction in enumerate(block.instructions):
        if lifter.skip:
            lifter.skip -= 1
            continue
        if waiting and _takes_value(lifter, instruction):
            _attach(lifter, tests)
            waiting = False
        lifter.operations[instruction.op](lifter, instruction)


def _takes_value(lifter: Lifter, instruction: Instruction) -> bool:
    """Whether the value that began with the block is complete: it is used with what was there before, or leaves the stack."""
    if instruction.op in _TERMINATORS or instruction.op in _STATEMENTS or instruction.op not in KNOWN:
        return True
    needed, pushed = effect_of(instruction.op, instruction.arg)
    left = len(lifter.stack) - needed
    return left < lifter.entry_depth or left + pushed <= lifter.entry_depth


def _attach(lifter: Lifter, tests: List[Expr]) -> None:
    if len(lifter.stack) != lifter.entry_depth + 1 or isinstance(lifter.stack[-1], Marker):
        raise NeedsTemporaries()
    value = lifter.pop()
    made = value
    for test in reversed(tests):
        made = make_and(always(test), made)
    lifter.stack.append(made)
    if any(v is value for v in lifter.pending):
        lifter.pending = [made if v is value else v for v in lifter.pending]
    else:
        lifter.pending.append(made)
