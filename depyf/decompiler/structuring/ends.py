"""The end of a module or class body: no `return` can stand there, and no flag, since whoever looks sees its names.

Every way to the end becomes falling off it: past an else, out of a loop by `break`, or, where nothing else does it, out of
a `while True` that is never repeated.
"""

from __future__ import annotations

from typing import List

from depyf.bytecode.canonical import Block
from depyf.errors import DecompilationError

from ..tree import Break, Stmt, Try
from .flags import leave_block
from .jumps import End, Jump, Label, Nowhere
from .labels import as_loop_else, drop_tail, nest
from .merged_loops import merge_loops
from .nested_breaks import break_to_jumps, end_inside, leave_before_end, leave_by_else
from .walk import LOOPS, all_lists, child_lists


def settle_ends(code: List[Stmt]) -> None:
    """Makes every End of a finished tree disappear."""
    if any(isinstance(s, Nowhere) for current in all_lists(code) for s in current[-1:]):
        _leave_loops_instead(code)
    label = Label(Block(-1), [])
    for current in all_lists(code):
        for index, statement in enumerate(current):
            if isinstance(statement, End):
                jump = Jump(label, [], [], statement.offset, None)
                jump.certain = jump.stays = statement.stays  # a `break` that a jump behind it does not replace
                current[index:] = [jump]
                label.uses += 1
                break
    lead_to_end(code, label)
    if label.uses and leave_before_end(code, label):
        lead_to_end(code, label)
    if label.uses and not leave_block(code, label):
        raise DecompilationError("a body that cannot return ends inside a loop", offset=code[0].offset)


def _leave_loops_instead(code: List[Stmt]) -> None:
    """What is never taken may as well be a `break`, if it stands in a loop."""
    work = [(code, False)]
    while work:
        current, in_loop = work.pop()
        if in_loop and current and isinstance(current[-1], Nowhere):
            current[-1] = Break(current[-1].offset)
        for statement in current:
            clauses = [clause.body for clause in statement.clauses] if isinstance(statement, Try) and statement.star else []
            for inner in child_lists(statement):
                begins = isinstance(statement, LOOPS) and inner is statement.body
                work.append((inner, begins or in_loop and not any(inner is one for one in clauses)))


def lead_to_end(code: List[Stmt], label: Label) -> None:
    """Jumps to `label`, which stands behind `code`, become falling off its end or `break`, as far as statements do it."""
    break_to_jumps(code, label)
    drop_tail(code, label)
    if label.uses:
        as_loop_else(code, label)
    if label.uses:
        nest(code, label)
    if label.uses:
        leave_by_else(code, label)
        as_loop_else(code, label)  # out of an inner loop, a jump may lead past what follows the outer one
        end_inside(code, label)
        drop_tail(code, label)
    if label.uses:
        merge_loops(code, label)
        drop_tail(code, label)
