"""`break` and `continue` where they were written: once behind a statement, not at the end of each way through it.

The compiler jumps on from wherever a jump is reached, so that one jump of the source has many places. The meaning is the same.
"""

from __future__ import annotations

from typing import List

from ..structuring.walk import all_lists, falls_through
from ..tree import Break, Continue, If, Stmt, Try, With


def write_jumps_once(statements: List[Stmt]) -> None:
    for current in all_lists(statements):
        for index in range(len(current) - 1, -1, -1):
            statement = current[index]
            if isinstance(statement, Try) and index + 1 == len(current):
                _take_out(statement, current)  # what follows then drops it inside
            behind = current[index + 1] if index + 1 < len(current) else None
            if isinstance(behind, (Break, Continue)):
                _drop_at_end(statement, type(behind))


def _drop_at_end(statement: Stmt, kind: type) -> None:
    """What a jump of this kind follows needs none at the end of its arms. An arm that is nothing else says more with it."""
    work = _arms(statement)
    while work:
        arm = work.pop()
        if len(arm) > 1 and isinstance(arm[-1], kind):
            arm.pop()
        if arm:
            work += _arms(arm[-1])


def _arms(statement: Stmt) -> List[List[Stmt]]:
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
    ends = [arm[-1] for arm in _arms(statement) if len(arm) > 1]
    for kind in (Break, Continue):
        found = [end for end in ends if isinstance(end, kind)]
        if len(found) > 1:
            current.append(found[0])
            return
