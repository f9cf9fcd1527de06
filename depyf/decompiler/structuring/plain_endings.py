"""Short endings behind a try, each reached by one jump: all of them in one walk over the try.

Every `break`, `continue` or `return` out of a `finally` has its own copy of the clean-up, and so its own label behind the
statement. `labels.place` would walk the whole statement for each.
"""

from __future__ import annotations

from typing import Dict, List

from ..tree import Stmt, Try
from .jumps import Jump, Label
from .labels import Followers, ending_at, hand_on
from .short_endings import builds_display, is_short_ending
from .walk import all_lists, keep_held


def is_plain_ending(code: List[Stmt], label: Label, behind: List[Stmt]) -> bool:
    """Whether `place` would do nothing but put the ending where the only jump to it stands, whatever else is placed."""
    last = code[-1] if code else None
    if label.uses != 1 or not isinstance(last, Try) or not is_short_ending(behind, label):
        return False
    return not (last.finalbody and builds_display(behind[0], label))  # that is built after the clean-up


def put_endings(code: List[Stmt], followers: Followers) -> None:
    """Each ending in the place of the jump to it."""
    endings: Dict[Label, Stmt] = {label: behind[0] for label, behind in followers}
    for current in all_lists(code) if endings else ():
        for index in range(len(current) - 1, -1, -1):
            if isinstance(current[index], Jump) and current[index].label in endings:  # type: ignore[attr-defined]
                current[index : index + 1] = _resolved(current[index], endings)
        if not endings:
            return


def _resolved(statement: Stmt, endings: Dict[Label, Stmt]) -> List[Stmt]:
    """The ending that a jump leads to; one ending may lead to another."""
    kept: List[Stmt] = []
    while isinstance(statement, Jump) and statement.label in endings:
        ending = endings.pop(statement.label)
        if isinstance(ending, Jump):
            ending.label.uses -= 1  # what is put here counts instead
            hand_on(statement.label, ending.label)
        statement.label.uses -= 1
        kept += keep_held(statement)
        statement = ending_at(ending, statement)
    return [*kept, statement]
