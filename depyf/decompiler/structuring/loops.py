"""Loops: which statement a loop of the graph was. Also comprehensions, whose loops end in adding to a container.

A loop body at this point ends each of its ways in a jump: back to the header (`continue`), or out.
"""

from __future__ import annotations

from typing import List, Optional, Tuple

from ..lifting.temporaries import Temporaries
from ..lifting.values import Fresh, NextItem
from ..prepare.cases import case_of
from ..tree import (
    Assign,
    Const,
    Continue,
    Expr,
    For,
    Name,
    Pass,
    Stmt,
    Try,
    While,
)
from . import labels
from .comprehensions import comprehension
from .flags import continue_by_flag
from .jumps import Branch, Enter, ForNext, Jump, Label
from .logic import negate
from .merged_loops import merge_loops
from .nested_breaks import break_to_jumps, end_inside, go_on_inside, leave_before_end, leave_by_else
from .walk import all_lists, falls_through, has_no_test, jumps_to, keep_held, replace_jumps


def close_loop(
    label: Label, code: List[Stmt], below: Optional[Expr], offset: int, new_name: Temporaries
) -> List[Stmt]:
    """The statements for a loop whose header is `label` and whose code is `code`."""
    start = next((i for i, s in enumerate(code) if isinstance(s, ForNext)), 0)
    if start and not label.uses:  # a `for` that never repeats: what stands before it is no part of it
        return code[:start] + close_loop(label, code[start:], below, offset, new_name)
    first = code[0] if code else None
    if isinstance(first, ForNext):
        first.body.extend(code[1:])  # what was placed behind the item's code; being exhausted leads elsewhere
        return _close_for(label, first, below, new_name)
    if isinstance(first, Branch) and len(code) == 1 and case_of(first.test) is None:
        closed = _close_while(label, first, new_name)
        if closed is not None:
            return closed
    if isinstance(first, While) and not jumps_to(code[1:], label):
        # a rotated loop whose `continue` goes to the first test: the same as to the second
        if not has_no_test(first):
            replace_jumps(first.body, label, lambda jump: [Continue(jump.offset, jump.line, jump.certain)])
            if not label.uses:
                return code
    _finish_body(label, code, new_name, endless=True)
    return [While(Const(True), code, [], offset)]


def _finish_body(label: Label, body: List[Stmt], new_name: Temporaries, endless: bool = False) -> None:
    """Jumps back to the header: nothing at the end of the body, `continue` elsewhere, and where it was written. Of an `endless`
    loop, the header is where the body begins."""
    break_to_jumps(body, label)
    replace_written_jumps(body, label)
    labels.drop_tail(body, label)
    replace_jumps(body, label, lambda jump: [Continue(jump.offset, jump.line, jump.certain)])
    first = next((s for s in body if not isinstance(s, Enter)), None)  # which stands in the `with` that it begins
    if endless and isinstance(first, While) and has_no_test(first):  # to begin again with that is to begin the body again
        replace_jumps(first.body, label, lambda jump: [Continue(jump.offset, jump.line, jump.certain)])
    if label.uses:
        labels.as_loop_else(body, label)
    if label.uses and jumps_to(body, label):
        go_on_inside(body, label)
        leave_by_else(body, label)
        replace_jumps(body, label, lambda jump: [Continue(jump.offset, jump.line, jump.certain)])
    if label.uses and jumps_to(body, label) and leave_before_end(body, label):
        replace_jumps(body, label, lambda jump: [Continue(jump.offset, jump.line, jump.certain)])
    if label.uses and jumps_to(body, label):
        _jump_again(body, label)
        end_inside(body, label)
        merge_loops(body, label)
        labels.drop_tail(body, label)
        replace_jumps(body, label, lambda jump: [Continue(jump.offset, jump.line, jump.certain)])
    if label.uses and jumps_to(body, label):
        continue_by_flag(body, label, new_name)


def _jump_again(body: List[Stmt], label: Label) -> None:
    """What goes on with the loop may be moved into an inner one, where it is no `continue`."""
    for current in all_lists(body, False):
        for index, statement in enumerate(current):
            if isinstance(statement, Continue):
                label.uses += 1
                current[index] = jump = Jump(label, [], [], statement.offset, statement.line)
                jump.certain = statement.certain


def replace_written_jumps(body: List[Stmt], label: Label) -> None:
    """`continue` where one was written. What stands alone in a clause or case may be `pass`: that has a line, too."""
    alone = {id(arm) for current in all_lists(body, False) for one in current for arm in _arms_for_pass(one)}
    for current in all_lists(body, False):
        if len(current) == 1 and id(current) in alone and not (isinstance(current[0], Jump) and current[0].certain):
            continue
        for index, statement in enumerate(current):
            written = isinstance(statement, Jump) and (statement.line is not None or statement.certain)
            if isinstance(statement, Jump) and statement.label is label and written:
                label.uses -= 1
                current[index : index + 1] = [*keep_held(statement), Continue(statement.offset, statement.line, statement.certain)]


def _arms_for_pass(statement: Stmt) -> List[List[Stmt]]:
    if isinstance(statement, Try):
        return [clause.body for clause in statement.clauses]
    if isinstance(statement, Branch):
        if case_of(statement.test) is not None:
            return [statement.body, statement.orelse]
        return [statement.orelse]
    return []


def _close_while(label: Label, branch: Branch, new_name: Temporaries) -> Optional[List[Stmt]]:
    """The test stands first and one arm leaves the loop."""
    if not jumps_to(branch.orelse, label):
        test, body, leaving = branch.test, branch.body, branch.orelse
    elif not jumps_to(branch.body, label) and _repeats_outer_loop(branch.body):
        test, body, leaving = negate(branch.test), branch.orelse, branch.body
    else:
        return None
    if falls_through(body) or branch.held or not jumps_to(body, label):
        return None
    _finish_body(label, body, new_name)
    loop: Stmt = While(test, body, [], branch.offset)
    return [loop, *leaving]


def _repeats_outer_loop(leaving: List[Stmt]) -> bool:
    """Whether a loop, the last statement of another one, is left by its test; a `break` would have a line of its own."""
    only = leaving[0] if len(leaving) == 1 else None
    return isinstance(only, Jump) and only.line is None and only.back


# ---------------------------------------------------------------- for


def _close_for(
    label: Label, step: ForNext, below: Optional[Expr], new_name: Temporaries
) -> List[Stmt]:
    target, body = take_target(step.item, step.body)
    if isinstance(below, Fresh):
        labels.drop_tail(body, label)
        made = comprehension(target, step.iterator, body, below)
        if made is not None:
            below.value = made
            return step.exhausted
    _finish_body(label, body, new_name)
    if len(body) == 1 and isinstance(body[0], Continue):
        body = [Pass(body[0].offset)]
    iterable = step.iterator.value
    loop = For(target, iterable, body, [], step.iterator.is_async, step.offset)
    return [loop, *step.exhausted]


def take_target(item: NextItem, body: List[Stmt]) -> Tuple[Expr, List[Stmt]]:
    """The loop's target: the body begins by storing the item."""
    first = body[0] if body else None
    if isinstance(first, Assign) and first.value is item and len(first.targets) == 1:
        return first.targets[0], body[1:]
    if isinstance(first, Assign) and first.value is item:
        name = Name("__item")
        return name, [Assign(first.targets, name), *body[1:]]
    return Name("_"), body
