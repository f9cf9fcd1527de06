"""Clauses off whose end control falls to a jump: that stands behind the try, not in the clause.

`try: ...; except E as e: ...` and then `break`: the compiler lets both ways jump at once. A `break` inside the clause would do
the same, but for when the name is deleted (see `prepare.clauses`), which whoever looks at a module's names can tell.
"""

from __future__ import annotations

from typing import List

from ..tree import Stmt, Try
from .jumps import Jump
from .labels import arms_at_end
from .walk import falls_through, keep_held


def fall_off(code: List[Stmt]) -> None:
    """`code` ends in a try of which all ways go elsewhere: where its clauses fall to, a jump behind it goes."""
    last = code[-1] if code else None
    if not isinstance(last, Try) or not last.clauses or falls_through([last]):
        return
    falling = [tail[-1] for clause in last.clauses for tail in _tails(clause.body) if isinstance(tail[-1], Jump)]
    labels = {jump.label for jump in falling if jump.falls and not jump.back}
    if len(labels) != 1:
        return
    label = labels.pop()
    if label.entry_parameters():
        return
    for tail in _tails(code):
        jump = tail[-1]
        if isinstance(jump, Jump) and jump.label is label and not jump.certain:
            tail[-1:] = keep_held(jump)
            label.uses -= 1
            behind = Jump(label, jump.stack, [], jump.offset, None)
    label.uses, label.fallen_to = label.uses + 1, False
    code.append(behind)


def _tails(code: List[Stmt]) -> List[List[Stmt]]:
    """The lists at whose ends control would fall to the end of `code`."""
    found: List[List[Stmt]] = []
    work = [code]
    while work:
        current = work.pop()
        inner = arms_at_end(current)
        work += inner
        if current and not inner:
            found.append(current)
    return found
