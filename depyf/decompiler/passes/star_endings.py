"""The way past the clauses of an except* is no clause: it goes where they go, by falling off the end of the statement."""

from __future__ import annotations

from typing import Any, List, Tuple

from depyf.errors import DecompilationError

from ..structuring.jumps import NothingLeft
from ..structuring.walk import all_lists, child_lists
from ..tree import Break, Continue, For, Pass, Return, Stmt, Try, While


def drop_unwritten_clauses(statements: List[Stmt]) -> None:
    for current in all_lists(statements):
        for statement in current:
            if isinstance(statement, Try) and statement.star:
                _drop_unwritten(statement)


def _drop_unwritten(statement: Try) -> None:
    if any(_is_left(clause.body) for clause in statement.clauses):
        raise DecompilationError("a clause of except* that leads elsewhere", offset=statement.offset)
    unwritten = [clause for clause in statement.clauses if isinstance(clause, NothingLeft)]
    if not all(isinstance(s, Pass) for clause in unwritten for s in clause.body):
        raise DecompilationError("except* that ends elsewhere than its clauses", offset=statement.offset)
    statement.clauses = [clause for clause in statement.clauses if clause not in unwritten]


def _is_left(code: List[Stmt]) -> bool:
    """Whether something leaves the clause that is no part of a loop inside it."""
    work: List[Tuple[Any, bool]] = [(code, False)]
    while work:
        current, in_loop = work.pop()
        for statement in current:
            if isinstance(statement, Return) or isinstance(statement, (Break, Continue)) and not in_loop:
                return True
            for index, inner in enumerate(child_lists(statement)):
                work.append((inner, in_loop or isinstance(statement, (For, While)) and index == 0))
    return False
