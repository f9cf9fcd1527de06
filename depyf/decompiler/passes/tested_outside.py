"""Tests that decide nothing, before a comprehension: `f({a for a in b} if (c := d) or True else e)`.

Such a test stands before the value that is evaluated behind it, which is what the comprehension goes through if that is part of the
code around it. There nothing may be assigned: a test that does stands before the whole comprehension.
"""

from __future__ import annotations

from typing import List

from ..lifting.values import Fresh
from ..structuring.expressions import expressions_in
from ..structuring.logic import NEVER, behind
from ..structuring.walk import all_lists
from ..tree import Comprehension, Const, Expr, ExprStmt, IfExp, NamedExpr, Stmt


def test_outside(statements: List[Stmt]) -> None:
    """{a for a in (b if (c := d) or True else None)} -> {a for a in b} if (c := d) or True else None"""
    for current in all_lists(statements):
        for statement in current:
            for one in reversed(expressions_in(statement)):  # inner ones first
                if isinstance(one, Fresh) and isinstance(one.value, Comprehension):
                    one.value = _behind_tests(one.value)


def _behind_tests(made: Comprehension) -> Expr:
    first = made.generators[0]
    result: Expr = made
    for test in [one for one in expressions_in(ExprStmt(first.iter)) if isinstance(one, IfExp) and one.orelse is NEVER]:
        if any(isinstance(one, NamedExpr) for one in expressions_in(ExprStmt(test.test))):
            result = behind(test.test, result)
            test.test = Const(True)
    while isinstance(first.iter, IfExp) and isinstance(first.iter.test, Const) and first.iter.orelse is NEVER:
        first.iter = first.iter.body
    return result
