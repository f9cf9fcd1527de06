"""if a: b() else: raise c; d(): what follows the statement stands behind it again.

Only one branch goes on, so the compiler's blocks hold what follows as a part of that branch. Lines tell: what stands in a branch
stands above its `else`. Under an `else`, where they do not, columns may (3.11+).
"""

from __future__ import annotations

from typing import List

from ..marks import Lines
from ..structuring.walk import all_lists, falls_through
from ..tree import If, Stmt
from .indents import Indents


def put_behind_else(statements: List[Stmt], lines: Lines, indents: Indents) -> None:
    for current in reversed([*all_lists(statements)]):  # innermost first: what is further out moves on
        for index in range(len(current) - 1, -1, -1):
            branch = current[index]
            if isinstance(branch, If):
                _out_of_body(branch, current, index, lines)
                if branch.orelse and not falls_through(branch.body):
                    _move(branch.orelse, indents.first_outside(branch.orelse), current, index)


def _out_of_body(branch: If, current: List[Stmt], index: int, lines: Lines) -> None:
    """What the body of an `if` has below the `else`, which leaves; that may not be one yet, but stand behind a body that leaves."""
    first = branch.orelse[0] if branch.orelse else current[index + 1] if index + 1 < len(current) else None
    if first is None or not branch.body or not _reaches_below(branch.body, first, lines):
        return
    if not branch.orelse and falls_through(branch.body):
        return
    other = branch.orelse or current[index + 1 :]
    start = _first_below(branch.body, other, lines)
    if not start or falls_through(other):
        return
    if not branch.orelse:
        branch.orelse = other
        del current[index + 1 :]
    _move(branch.body, start, current, index)


def _move(arm: List[Stmt], start: int, current: List[Stmt], index: int) -> None:
    if start:
        current[index + 1 : index + 1] = arm[start:]
        del arm[start:]


def _reaches_below(body: List[Stmt], first: Stmt, lines: Lines) -> bool:
    """Whether a body begins above a statement and goes on below it; else the branches were exchanged."""
    begins, behind = lines.get(body[0].offset), lines.get(first.offset)
    if begins is None or behind is None or begins >= behind:
        return False
    return any((lines.get(s.offset) or 0) > behind for s in body)


def _first_below(body: List[Stmt], other: List[Stmt], lines: Lines) -> int:
    """The first statement of a body that has a line below all of the other branch; 0 if there is none."""
    end = max(lines.get(s.offset) or 0 for current in all_lists(other) for s in current)
    return next((i for i, s in enumerate(body) if (lines.get(s.offset) or 0) > end), 0)
