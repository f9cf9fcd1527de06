"""The ends of modules and class bodies: they have no `return`, and what the compiler adds there is not written."""

from __future__ import annotations

from typing import List

from ..lifting.values import ClosureCell, resolve
from ..structuring.walk import all_lists
from ..tree import Assign, For, If, Match, MatchAs, Name, Return, Stmt, Try, While, With


def drop_bookkeeping(statements: List[Stmt]) -> None:
    """What the compiler stores at the end of a class body, of which it may have made copies."""
    for current in all_lists(statements):
        current[:] = [s for s in current if not stored_last(s)]


def stored_last(statement: Stmt) -> bool:
    """Whether this is what the compiler stores at the end of a class body; a cell is nothing that text could store."""
    if not isinstance(statement, Assign):
        return False
    target = statement.targets[-1]
    if not isinstance(target, Name):
        return False
    if target.id in ("__classdictcell__", "__classcell__"):
        return isinstance(resolve(statement.value), ClosureCell)
    return target.id == "__static_attributes__"


def drop_empty_defaults(statements: List[Stmt]) -> None:
    """`case _:` of which nothing is left."""
    for current in all_lists(statements):
        for statement in current:
            if isinstance(statement, Match) and len(statement.cases) > 1 and not statement.cases[-1].body:
                pattern = statement.cases[-1].pattern
                if isinstance(pattern, MatchAs) and pattern.pattern is None and pattern.name is None:
                    statement.cases.pop()


def drop_returns(statements: List[Stmt]) -> None:
    """Drops each return from which nothing but the end of the body would follow."""
    work = [statements]
    while work:
        current = work.pop()
        if current and isinstance(current[-1], Return):
            current.pop()
        last = current[-1] if current else None
        if isinstance(last, If):
            work.extend((last.body, last.orelse))
        elif isinstance(last, (For, While)):
            work.append(last.orelse)
        elif isinstance(last, With):
            work.append(last.body)
        elif isinstance(last, Match):
            work.extend(case.body for case in last.cases)
        elif isinstance(last, Try):
            work.append(last.orelse or last.body)
            work.extend(clause.body for clause in last.clauses)
            work.append(last.finalbody)
