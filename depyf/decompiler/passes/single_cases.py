"""`match` with a single case that is a value: in bytecode that is `if a == b`, but for its lines.

The subject has the line of `match`, and the comparison that of `case`; the comparison of an `if` begins where its first operand
begins, however many lines it takes. The meaning is the same either way.
"""

from __future__ import annotations

from typing import List, Optional, Tuple

from ..lifting.values import resolve
from ..marks import Lines
from ..structuring.expressions import expressions_in
from ..structuring.walk import all_lists, falls_through
from ..tree import Attr, BoolOp, Compare, Const, Expr, If, Match, MatchAs, MatchCase, MatchValue, Name, Stmt

_LITERALS = (int, float, complex, str, bytes)


def make_single_cases(statements: List[Stmt], lines: Lines) -> None:
    for current in reversed([*all_lists(statements)]):  # from the inside out: what stood under an `else` may move
        for index in range(len(current) - 1, -1, -1):
            branch = current[index]
            case = _case(branch, lines) if isinstance(branch, If) else None
            if case is not None and isinstance(branch, If):
                current[index : index + 1] = _as_match(branch, *case, lines)


def _case(branch: If, lines: Lines) -> Optional[Tuple[Expr, MatchCase]]:
    """The subject and the case that a branch tests, if its lines tell."""
    test, guard = _divided(branch.test)
    if not isinstance(test, Compare) or len(test.ops) > 1 or not _is_value(test.ops[0], resolve(test.comparators[0])):
        return None
    begins, compared = lines.get(resolve(test.left).offset), lines.get(test.offset)
    if begins is None or compared is None or begins >= compared:
        return None
    return test.left, MatchCase(MatchValue(test.comparators[0], test.offset), guard, branch.body)


def _as_match(branch: If, subject: Expr, case: MatchCase, lines: Lines) -> List[Stmt]:
    """What stood under an `else` is a `case _:`, if there is room for that line, or stood behind."""
    match = Match(subject, [case], branch.offset)
    if not branch.orelse:
        return [match]
    last = max([lines.get(s.offset) or 0 for current in all_lists(branch.body) for s in current])
    first = branch.orelse[0]
    parts = (first, first.subject) if isinstance(first, Match) else (first, *expressions_in(first))
    begins = min([lines.get(part.offset) or last for part in parts])
    if not falls_through(branch.body) and begins <= last + 1:
        return [match, *branch.orelse]
    match.cases.append(MatchCase(MatchAs(None, None), None, branch.orelse))
    return [match]


def _divided(test: Expr) -> Tuple[Expr, Optional[Expr]]:
    """The comparison with the case, and its guard."""
    test = resolve(test)
    if not isinstance(test, BoolOp) or test.op != "and":
        return test, None
    rest = test.values[1:]
    return resolve(test.values[0]), rest[0] if len(rest) == 1 else BoolOp("and", rest, test.offset)


def _is_value(op: str, value: Expr) -> bool:
    """Whether a pattern may be this value, compared in this way."""
    if op == "is":
        return isinstance(value, Const) and (value.value is None or isinstance(value.value, bool))
    if isinstance(value, Const):
        return op == "==" and isinstance(value.value, _LITERALS) and not isinstance(value.value, bool)
    while isinstance(value, Attr):
        value = resolve(value.value)
        if isinstance(value, Name):
            return op == "=="
    return False
