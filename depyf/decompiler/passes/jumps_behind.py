"""`break` and `continue` where they were written: once behind a statement, not at the end of each way through it.

The compiler jumps on from wherever a jump is reached, so that one jump of the source has many places, and a `continue` at which a
branch ends has none on the ways that branch past it. The meaning is the same.
"""

from __future__ import annotations

from typing import List, Union

from ..structuring.walk import all_lists, falls_through
from ..tree import Break, Continue, For, If, Stmt, Try, While, With
from .indents import Indents


def write_jumps_once(statements: List[Stmt], indents: Indents) -> None:
    for current in reversed([*all_lists(statements)]):  # innermost first
        _make_else(current)
        for index in range(len(current) - 1, -1, -1):
            statement = current[index]
            if isinstance(statement, (For, While)):
                _continue_behind(statement.body, indents)
            elif isinstance(statement, Try) and index + 1 == len(current):
                _take_out(statement, current)
            behind = current[index + 1] if index + 1 < len(current) else None
            if isinstance(behind, (Break, Continue)):
                _drop_at_end(statement, type(behind))


def _drop_at_end(statement: Stmt, kind: type) -> None:
    """What a jump of this kind follows needs none at the end of its arms. An arm that is nothing else says more with it."""
    work = arms_of(statement)
    while work:
        arm = work.pop()
        if len(arm) > 1 and isinstance(arm[-1], kind) and not arm[-1].certain:  # type: ignore[attr-defined]
            arm.pop()
        if arm:
            work += arms_of(arm[-1])


def arms_of(statement: Stmt) -> List[List[Stmt]]:
    """The lists from whose ends control falls to what follows the statement."""
    if isinstance(statement, If):
        return [statement.body, statement.orelse]
    if isinstance(statement, Try):
        return [statement.orelse or statement.body, *[clause.body for clause in statement.clauses]]
    return [statement.body] if isinstance(statement, With) else []


def _take_out(statement: Try, current: List[Stmt]) -> None:
    """A try body and a clause that end in the same jump, where nothing else goes on: it stood behind the statement."""
    if statement.star or falls_through([statement]):
        return
    ends = [arm[-1] for arm in arms_of(statement) if len(arm) > 1]
    for kind in (Break, Continue):
        found = [end for end in ends if isinstance(end, kind) and not end.certain]
        if len(found) > 1:
            current.append(found[0])
            return


def _make_else(current: List[Stmt]) -> None:
    """if a: b(); jump, c(); jump, where both jumps have one line: it stood behind, and `c()` under `else`."""
    last = current[-1] if current else None
    if not isinstance(last, (Break, Continue)) or last.line is None:
        return
    for index in range(len(current) - 2, -1, -1):
        statement = current[index]
        if isinstance(statement, If) and not statement.orelse and len(statement.body) > 1:
            jump = statement.body[-1]
            if type(jump) is type(last) and jump.line == last.line:
                statement.body.pop()
                statement.orelse = current[index + 1 : -1]
                del current[index + 1 : -1]


def _continue_behind(body: List[Stmt], indents: Indents) -> None:
    """if a: (if b: ...; continue) else: c, at the end of a loop: the `continue` ends the branch, and `c` follows.

    Where it stands, it would do nothing."""
    work = [body]
    while work:
        current = work.pop()
        last = current[-1] if current else None
        while isinstance(last, If) and last.orelse:
            jump = _jump_inside(last.body)
            if jump is None or not indents.may_stand_beside(last.body[0], jump.line):
                break
            _drop_at_end(last.body[-1], Continue)
            last.body.append(jump)
            current += last.orelse
            last.orelse = []
            last = current[-1]
        work += arms_of(last) if isinstance(last, If) else []


def _jump_inside(branch: List[Stmt]) -> Union[Continue, None]:
    """The `continue` at the end of an arm of the last `if` of a branch."""
    work = arms_of(branch[-1]) if branch and isinstance(branch[-1], If) else []
    while work:
        arm = work.pop()
        last = arm[-1] if len(arm) > 1 else None
        if isinstance(last, Continue):
            return last
        work += arms_of(arm[-1]) if arm and isinstance(arm[-1], If) else []
    return None
