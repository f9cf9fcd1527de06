"""What stands at a label and is so short that it may stand in the place of a jump there: a return or jump that evaluates nothing."""

from __future__ import annotations

from typing import List, Optional

from ..lifting.values import Fresh, Held, Joined, Local, Marker, resolve
from ..tree import Break, Const, Continue, Dict_, Expr, List_, Return, Set_, Stmt, Tuple_
from .jumps import End, Jump, Label


def is_short_ending(code: List[Stmt], label: Label) -> bool:
    """A return of something that is there when `label` is reached, or a jump: may stand in the place of a jump."""
    if len(code) != 1 or label.leaves_star:
        return False
    statement = code[0]
    if isinstance(statement, End) or is_behind_try(statement, label):
        return False
    if isinstance(statement, Return):
        value = statement.value
        if feeds_display(label, [value]) or drops_value(label, [value]):
            return False
        named = value.name is not None if isinstance(value, (Held, Joined)) else isinstance(value, Local) and value in label.entry
        return named or is_constant(value) or slot_of(value, label) is not None
    if isinstance(statement, Jump):
        there = not statement.held and all(_is_there(v, label) for v in statement.stack)
        return there and not feeds_display(label, statement.stack) and not drops_value(label, statement.stack)
    return isinstance(statement, (Break, Continue))


def is_behind_try(ending: Stmt, label: Label) -> bool:
    """Whether what stands at a label that control falls to off the end of a clause stands behind the try, and nowhere else."""
    if isinstance(ending, Jump) and ending.back and ending.line is None and len(ending.stack) == len(label.entry):
        return False  # the end of the loop's body, which falls to the same place; an outer one's, if it drops an iterator
    return label.fallen_to


def feeds_display(label: Label, stack: List[Expr]) -> bool:
    """Whether what a label was reached with has become an item of a display that is taken along: no statement shows that."""
    parameters = [v for v in label.entry if isinstance(v, Joined) and v.block is label.block]
    if all(any(one is v for v in stack) for one in parameters):
        return False
    return any(isinstance(v, Held) and isinstance(v.value, Fresh) for v in stack)


def drops_value(label: Label, stack: List[Expr]) -> bool:
    """Whether a label takes a value, and a jump from there leaves it behind: whoever jumps to the label evaluates it first."""
    parameters = [v for v in label.entry if isinstance(v, Joined) and v.block is label.block and v.name is None]
    return any(all(one is not v for v in stack) for one in parameters)


def builds_display(statement: Stmt, label: Label) -> bool:
    """Whether a list, tuple, set or dict is built right where it is returned, or taken along to where managers are left for that:
    it was not there when `label` was reached."""
    if isinstance(statement, Jump):
        return any(isinstance(v, Fresh) and all(v is not one for one in label.entry) for v in statement.stack)
    if not isinstance(statement, Return) or isinstance(statement.value, (Held, Joined)):
        return False
    if any(statement.value is one for one in label.entry):
        return False
    return isinstance(resolve(statement.value), (List_, Tuple_, Set_, Dict_))


def _is_there(value: Expr, label: Label) -> bool:
    """Whether a value was there when `label` was reached, or takes no evaluation that could be seen."""
    if isinstance(value, (Marker, Local)) or any(value is one for one in label.entry):
        return True
    if isinstance(value, (Held, Joined)):
        kept = value.crossed or value.name is not None or value.value is None
        return kept or _is_there(value.value, label)  # type: ignore[arg-type]
    return is_constant(value)


_KEYS = (int, str, bytes, type(None))  # what the proof takes to be hashed and compared without running code


def is_constant(value: Expr) -> bool:
    """A constant, or a display of nothing but constants: evaluating it cannot be seen."""
    value = resolve(value)
    if isinstance(value, (List_, Tuple_, Set_)):
        hashed = isinstance(value, Set_)
        return all(isinstance(v, Const) and (not hashed or type(v.value) in _KEYS) for v in value.items)
    return isinstance(value, Const) or isinstance(value, Dict_) and not value.items


def slot_of(value: Expr, label: Label) -> Optional[int]:
    for slot, one in enumerate(label.entry):
        if one is value and isinstance(one, (Held, Joined)) and one.name is None:
            return slot
    return None
