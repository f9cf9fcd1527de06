"""Loops that the compiler rotated: `while` tests once in front of the loop and once more at its end."""

from __future__ import annotations

from typing import List, Optional

from .compare import same
from .jumps import Branch, Jump
from .logic import negate
from .tree import Const, Continue, Expr, Stmt, Unary, While
from .walk import all_lists, falls_through


def _is_endless(loop: While) -> bool:
    return isinstance(loop.test, Const) and loop.test.value is True


def merge_rotated(test: Expr, body: List[Stmt], orelse: List[Stmt]) -> Optional[List[Stmt]]:
    """if c: while True: ...; if not c: leave -> while c: ...

    The compiler tests before the loop and again at its end; both tests leave to the same place."""
    if not body or not isinstance(body[0], While) or not _is_endless(body[0]) or len(body) > 2:
        return None
    loop = body[0]
    if loop.orelse or len(body) == 2 and not _leaves_alike(body[1:], orelse):
        return None
    if any(isinstance(s, Continue) for current in all_lists(loop.body, False) for s in current):
        return None  # an endless loop that begins the body of this one: it goes on without the test
    end = _last_list(loop.body)
    last = end[-1] if end else None
    if not isinstance(last, Branch) or last.held:
        return None
    if not last.body and _leaves_alike(last.orelse, orelse):
        again, leaving = last.test, last.orelse
    elif not last.orelse and _leaves_alike(last.body, orelse):
        again, leaving = negate(last.test), last.body
    else:
        return None
    if not same(_strip_not(test), _strip_not(again)):
        return None
    _forget(leaving)
    for extra in body[1:]:
        _forget([extra])
    end.pop()
    loop.test = test
    return [loop, *orelse]


def _last_list(code: List[Stmt]) -> List[Stmt]:
    """The list at the end of which the loop is repeated: past arms that leave."""
    while code:
        last = code[-1]
        if not isinstance(last, Branch) or not last.body or not last.orelse:
            break
        if not falls_through(last.body):
            code = last.orelse
        elif not falls_through(last.orelse):
            code = last.body
        else:
            break
    return code


def _strip_not(test: Expr) -> Expr:
    """Without double negation."""
    while isinstance(test, Unary) and test.op == "not":
        inner = test.operand
        if isinstance(inner, Unary) and inner.op == "not":
            test = inner.operand
        else:
            break
    return test


def _leaves_alike(one: List[Stmt], other: List[Stmt]) -> bool:
    if len(one) != len(other) or not one:
        return False
    if len(one) == 1 and isinstance(one[0], Jump) and isinstance(other[0], Jump):
        return one[0].label is other[0].label
    return all(same(a, b) for a, b in zip(one, other))


def _forget(leaving: List[Stmt]) -> None:
    if isinstance(leaving[0], Jump):
        leaving[0].label.uses -= 1
