"""What follows an except*: its clauses can only be left by falling off their ends, so their end stands right behind it.

The body of the statement may lead elsewhere; that becomes its `else`.
"""

from __future__ import annotations

from typing import Callable, List

from ..lifting.temporaries import Temporaries
from ..lifting.values import Joined
from ..structuring.jumps import Jump, Label
from ..structuring.nested_breaks import break_to_jumps
from ..structuring.short_endings import is_short_ending
from ..structuring.walk import falls_through, jumps_to, labels_in, replace_jumps
from ..tree import Stmt, Try

Place = Callable[[List[Stmt], Label, List[Stmt], List[Joined], Temporaries], List[Stmt]]


def place_behind_star(code: List[Stmt], label: Label, behind: List[Stmt], new_name: Temporaries, place: Place) -> bool:
    """Puts `behind` after the except* that `code` ends in, whose clauses lead there. Whether there was such a statement."""
    statement = code[-1] if code else None
    if not isinstance(statement, Try) or not statement.star:
        return False
    for clause in statement.clauses:
        clause.body[:] = _fall_through(clause.body, label, new_name, place)
    onward = behind[0] if len(behind) == 1 else None
    if isinstance(onward, Jump) and not onward.label.entry_parameters():
        normal = statement.orelse or statement.body
        alone = len(labels_in(normal)) == 1  # otherwise what the body leads to may have to be its `else`, which this goes past
        if normal and isinstance(normal[-1], Jump) and normal[-1].label is onward.label and not normal[-1].held and alone:
            break_to_jumps(normal, onward.label)
            onward.label.uses -= 1
            normal.pop()
    code.extend(behind)
    return True


def as_star_else(code: List[Stmt], label: Label, behind: List[Stmt], new_name: Temporaries, place: Place) -> bool:
    """The body of an except* goes past what stands behind the statement: what it goes to is its `else`."""
    if falls_through(behind):
        return False  # an `else` that is not left leads to what it should go past
    short = is_short_ending(behind, label)
    for index in range(len(code) - 2, -1, -1):
        statement = code[index]
        if not isinstance(statement, Try) or not statement.star or statement.finalbody:
            continue
        normal = statement.orelse or statement.body
        if jumps_to(normal, label) != label.uses or falls_through(normal) or falls_through(code[index + 1 :]):
            continue
        if short and jumps_to(normal[-1:], label) != label.uses:
            continue  # in the middle of the body: it may stand in the place of each jump
        normal[:] = _fall_through(normal, label, new_name, place)
        statement.orelse.extend(behind)
        return True
    return False


def _fall_through(code: List[Stmt], label: Label, new_name: Temporaries, place: Place) -> List[Stmt]:
    """The jumps of `code` to a label that other code jumps to as well become falling off its end."""
    inner = Label(label.block, label.entry)

    def jump_there(jump: Jump) -> List[Stmt]:
        inner.uses += 1
        return [Jump(inner, jump.stack, [], jump.offset, jump.line, jump)]

    replace_jumps(code, label, jump_there, into_loops=True)
    inner.leaves_star = False
    return place(code, inner, [], [], new_name)
