"""try: try: ... except: ...; finally: ... is one statement: the compiler makes no difference."""

from __future__ import annotations

from typing import List

from ..structuring.walk import all_lists
from ..tree import Stmt, Try


def merge_finally(statements: List[Stmt]) -> None:
    """A try with nothing but a finally takes the clauses of the try that is all of its body."""
    for current in all_lists(statements):
        for statement in current:
            if not isinstance(statement, Try) or statement.clauses or not statement.finalbody:
                continue
            inner = statement.body[0] if len(statement.body) == 1 else None
            if isinstance(inner, Try) and inner.clauses and not inner.finalbody:
                statement.body = inner.body
                statement.clauses = inner.clauses
                statement.orelse = inner.orelse
                statement.star = inner.star
