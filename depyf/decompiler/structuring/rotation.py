"""Loops that the compiler rotated: `while` tests once in front of the loop and once more at its end."""

from __future__ import annotations

from typing import List, Optional

from ..tree import BoolOp, Continue, Expr, Stmt, Try, Unary, While
from .compare import same
from .jumps import Branch, Jump
from .logic import negate
from .walk import all_lists, falls_through, has_no_test


def merge_rotated(test: Expr, body: List[Stmt], orelse: List[Stmt], line: Optional[int]) -> Optional[List[Stmt]]:
    """if c: while True: ...; if not c: leave -> while c: ...

    The compiler tests before the loop and again at its end; both tests have one line, and leave to the same place."""
    if orelse and isinstance(orelse[0], While):
        test, body, orelse = negate(test), orelse, body
    if not body or not isinstance(body[0], While) or not has_no_test(body[0]) or len(body) > 2:
        return None
    loop = body[0]
    if loop.orelse or len(body) == 2 and not _leaves_alike(body[1:], orelse):
        return None
    if goes_on_early(loop):
        return None  # an endless loop that begins the body of this one: it goes on without the test
    end = _last_list(loop.body)
    last = end[-1] if end else None
    if not isinstance(last, Branch) or last.held or last.line != line:
        return None
    if not last.body and _leaves_alike(last.orelse, orelse):
        again, leaving = last.test, last.orelse
    elif not last.orelse and _leaves_alike(last.body, orelse):
        again, leaving = negate(last.test), last.body
    else:
        return None
    if not same_condition(test, again):
        return None
    _forget(leaving)
    for extra in body[1:]:
        _forget([extra])
    end.pop()
    loop.test = test
    return [loop, *orelse]


def goes_on_early(loop: While) -> bool:
    """Whether a `continue` skips what stands at the loop's end."""
    return any(isinstance(s, Continue) for current in all_lists(loop.body, False) for s in current)


def same_condition(one: Expr, other: Expr) -> bool:
    """Whether two conditions test the same in the same order, however their `not`s are placed."""
    work = [(one, other, False)]
    while work:
        a, b, opposite = work.pop()
        while isinstance(a, Unary) and a.op == "not":
            a, opposite = a.operand, not opposite
        while isinstance(b, Unary) and b.op == "not":
            b, opposite = b.operand, not opposite
        if isinstance(a, BoolOp) and isinstance(b, BoolOp):
            if (a.op == b.op) is opposite or len(a.values) != len(b.values):
                return False
            work.extend((x, y, opposite) for x, y in zip(a.values, b.values))
        elif not same(negate(a) if opposite else a, b):
            return False
    return True


def _last_list(code: List[Stmt]) -> List[Stmt]:
    """The list at the end of which the loop is repeated: past arms and clauses that leave."""
    while code:
        last = code[-1]
        if isinstance(last, Try) and last.orelse and not last.finalbody and not any(falls_through(c.body) for c in last.clauses):
            code = last.orelse
            continue
        if not isinstance(last, Branch) or not last.body or not last.orelse:
            break
        if not falls_through(last.body):
            code = last.orelse
        elif not falls_through(last.orelse):
            code = last.body
        else:
            break
    return code


def _leaves_alike(one: List[Stmt], other: List[Stmt]) -> bool:
    if len(one) != len(other) or not one:
        return False
    if len(one) == 1 and isinstance(one[0], Jump) and isinstance(other[0], Jump):
        return one[0].label is other[0].label
    return all(same(a, b) for a, b in zip(one, other))


def _forget(leaving: List[Stmt]) -> None:
    if isinstance(leaving[0], Jump):
        leaving[0].label.uses -= 1
