"""import a, b and del a, b: what the compiler took apart, and what stood on one line."""

from __future__ import annotations

from typing import List, Optional

from ..marks import Lines
from ..structuring.walk import all_lists
from ..tree import Delete, Import, Stmt

TAKEN_APART = frozenset(("IMPORT", "DELETE_LOCAL", "DELETE_NAME", "DELETE_GLOBAL", "DELETE_CELL", "DELETE_ATTR", "DELETE_ITEM"))


def join_lines(statements: List[Stmt], lines: Lines) -> None:
    for current in all_lists(statements):
        joined: List[Stmt] = []
        for statement in current:
            before = joined[-1] if joined else None
            line = lines.get(statement.offset)
            one = _one(before, statement) if line is not None and before is not None and line == lines.get(before.offset) else None
            if one is None:
                joined.append(statement)
            else:
                joined[-1] = one
        if len(joined) < len(current):
            current[:] = joined


def _one(before: Stmt, statement: Stmt) -> Optional[Stmt]:
    """Both as one statement, if they are of a kind."""
    if isinstance(before, Import) and isinstance(statement, Import) and before.lazy is statement.lazy:
        return Import(before.names + statement.names, before.lazy, before.offset)
    if isinstance(before, Delete) and isinstance(statement, Delete):
        return Delete(before.targets + statement.targets, before.offset)
    return None
