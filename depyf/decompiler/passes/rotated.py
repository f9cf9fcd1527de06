"""Rotated loops whose last test has become part of another one: `if c: while True: ...; if x or not c: break`.

`rotation` finds the plain ones while the tree is built, when nobody knows yet what else the test will be joined with.
Runs on plain statements, where conditions are final; the meaning is the same either way.
"""

from __future__ import annotations

import functools
from typing import List, Optional

from ..structuring.logic import deny, make_or, negate, operands_of
from ..structuring.rotation import goes_on_early, same_condition
from ..structuring.walk import all_lists, has_no_test
from ..tree import Break, Expr, If, Stmt, Unary, While


def merge_rotated(statements: List[Stmt]) -> None:
    for current in all_lists(statements):
        for index, statement in enumerate(current):
            if isinstance(statement, If) and len(statement.body) == 1 and not statement.orelse:
                loop = statement.body[0]
                if isinstance(loop, While) and _take_test(loop, statement.test):
                    current[index] = loop


def _take_test(loop: While, test: Expr) -> bool:
    """Moves the test in front of a loop, of which the loop's end has a copy, into the loop; whether that was so."""
    last = loop.body[-1] if loop.body and not loop.orelse else None
    if not isinstance(last, If) or last.orelse or len(last.body) != 1 or not isinstance(last.body[0], Break) or goes_on_early(loop):
        return False
    others = _other_reasons(last.test, test)
    if others is None:
        return False
    if others:
        last.test = functools.reduce(make_or, others)
    else:
        loop.body.pop()
    if not has_no_test(loop):  # a second test, which leaves to the same place
        loop.body.insert(0, If(negate(loop.test), [Break()], [], loop.offset))
    loop.test = test
    return True


def _other_reasons(leaves_if: Expr, test: Expr) -> Optional[List[Expr]]:
    """What else a loop is left for, besides that `test` does not hold, which must come last."""
    if isinstance(leaves_if, Unary) and leaves_if.op == "not":
        leaves_if = deny(leaves_if.operand)
    reasons, denied = operands_of("or", leaves_if), operands_of("or", deny(test))
    count = len(reasons) - len(denied)
    if count < 0 or not all(map(same_condition, reasons[count:], denied)):
        return None
    return reasons[:count]
