"""Up to 3.9 the compiler lays code out as it was written: what stands behind other code in the bytecode did so in the source.

Only one way may lead behind an `if`, when its other branch leaves: then the code there takes the place of the jump to it, and the
branch that leaves comes behind it. Its offsets tell where it was written.

    if a:               if a:
        b()                 b()
        return c        else:
    d()                     d()
    return e                return e
                        return c
"""

from __future__ import annotations

from typing import List

from ..structuring.walk import all_lists, falls_through
from ..tree import If, Stmt
from .dead_jumps import last_offset


def restore_layout(statements: List[Stmt]) -> None:
    for current in all_lists(statements):
        for index in range(len(current) - 2, -1, -1):
            branch = current[index]
            if isinstance(branch, If) and not branch.orelse:
                _put_behind(branch, current, index)


def _put_behind(branch: If, current: List[Stmt], index: int) -> None:
    """Takes what was written behind a branch out of its body."""
    body = branch.body
    if body[-1].offset < current[index + 1].offset or falls_through(body) or falls_through(current[-1:]):
        return
    end = last_offset(current[-1:])
    first = len(body)
    while first and body[first - 1].offset > end:
        first -= 1
    if first and last_offset(body[:first]) < current[index + 1].offset:
        branch.body, branch.orelse = body[:first], current[index + 1 :]
        current[index + 1 :] = body[first:]
