"""with a as b, c: managers that one statement was written for.

Two `with` statements, one inside the other, never share a line, so managers entered on one line belong to one statement. Where
entering has the line of the manager instead of that of the statement, columns tell whether an inner one begins a level deeper.
Both texts mean the same; code without lines is left alone.
"""

from __future__ import annotations

from typing import List, Set

from depyf.bytecode.codes import managers_have_own_lines

from ..marks import Lines
from ..structuring.walk import all_lists
from ..tree import Stmt, With
from .indents import Indents

_WITH, _ASYNC, _PARENTHESIS = len("with "), len("async "), len("(")


def join_items(statements: List[Stmt], lines: Lines, indents: Indents) -> None:
    for current in all_lists(statements):
        for statement in current:
            if isinstance(statement, With):
                _join(statement, lines, indents)


def _join(outer: With, lines: Lines, indents: Indents) -> None:
    line = lines.get(outer.offset)
    while len(outer.body) == 1:
        inner = outer.body[0]
        if not isinstance(inner, With) or inner.is_async is not outer.is_async:
            return
        other = lines.get(inner.offset)
        if line is None or other is None:
            return
        if line != other and not (managers_have_own_lines() and _is_continued(line, other, outer.is_async, indents)):
            return
        outer.items = outer.items + inner.items
        outer.body = inner.body


def _is_continued(line: int, other: int, is_async: bool, indents: Indents) -> bool:
    """Whether the manager on the other line stands where no inner statement would begin."""
    if line not in indents.first or other not in indents.first:
        return False
    outer, inner = (_beginnings(indents.first[one], is_async) for one in (line, other))
    return not any(column + indents.unit in inner for column in outer)


def _beginnings(column: int, is_async: bool) -> Set[int]:
    """Where a statement may begin whose manager stands at `column`."""
    keyword = _WITH + _ASYNC * is_async
    return {column - keyword, column - keyword - _PARENTHESIS}
