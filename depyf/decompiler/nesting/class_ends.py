"""The end of a class body, where its annotations are kept since 3.14, at the top level again.

Where only one branch of an `if` or `match` goes on, the tree holds all that follows in that branch. The other branches leave, so
it may stand behind the statement as well, and there it stood if its lines come later.
"""

from __future__ import annotations

from typing import Any, Callable, List, Optional

from ..structuring.logic import negate
from ..structuring.walk import all_lists, child_lists
from ..tree import If, Match, Pass, Stmt


def raise_end(body: Any, is_end: Callable[[Stmt], bool], stays: Callable[[Stmt], bool]) -> None:
    """Moves what ends the body out of the branches it stands in; `stays` says which statements must be left in theirs."""
    path = _path_to_end(body.statements, is_end)
    for outer, inner in reversed(list(zip(path, path[1:]))):
        statement = outer[-1]
        start = _begin_of_rest(body, statement, inner, stays)
        outer.extend(inner[start:])
        del inner[start:]
        if not inner:
            _fill(statement, inner)


def _path_to_end(statements: List[Stmt], is_end: Callable[[Stmt], bool]) -> List[List[Stmt]]:
    """From the outermost list to the one that holds the end, each inside the last statement of the one before."""
    work: List[List[List[Stmt]]] = [[statements]]
    while work:
        path = work.pop()
        current = path[-1]
        if any(is_end(statement) for statement in current):
            return path
        if current and isinstance(current[-1], (If, Match)):
            work.extend([*path, inside] for inside in child_lists(current[-1]))
    return []


def _begin_of_rest(body: Any, statement: Stmt, inner: List[Stmt], stays: Callable[[Stmt], bool]) -> int:
    """Where in a branch begins what may have stood behind the whole statement."""
    lists = child_lists(statement)
    behind = lists[[id(one) for one in lists].index(id(inner)) + 1 :]
    last = max((_last_line(body, one) for one in behind), default=0)
    own = body.code.co_firstlineno  # the line of what the compiler adds
    start = 0
    for index, one in enumerate(inner):
        line: Optional[int] = body.lines.get(one.offset)
        if line is not None and own < line < last or _holds(one, stays):
            start = index + 1
    return start


def _last_line(body: Any, statements: List[Stmt]) -> int:
    lines = (body.lines.get(statement.offset) for current in all_lists(statements) for statement in current)
    return max((line for line in lines if line is not None), default=0)


def _holds(statement: Stmt, stays: Callable[[Stmt], bool]) -> bool:
    return any(stays(one) for current in all_lists([statement]) for one in current)


def _fill(statement: Stmt, inner: List[Stmt]) -> None:
    """Nothing is left in a branch."""
    if isinstance(statement, If) and inner is statement.body:
        statement.test, statement.body, statement.orelse = negate(statement.test), statement.orelse, []
    elif isinstance(statement, Match):
        inner.append(Pass())
