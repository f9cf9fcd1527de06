"""assert: an `if` whose body raises the interpreter's own AssertionError."""

from __future__ import annotations

from typing import List, Optional

from ..conditions import negate
from ..tree import Assert, Call, Expr, If, Raise, Stmt
from ..values import Builtin
from ..walk import all_lists


def make_asserts(statements: List[Stmt]) -> None:
    for current in all_lists(statements):
        for index, statement in enumerate(current):
            if isinstance(statement, If) and len(statement.body) == 1 and not statement.orelse:
                made = _assert(statement, statement.body[0])
                if made is not None:
                    current[index] = made


def _assert(branch: If, body: Stmt) -> Optional[Stmt]:
    if not isinstance(body, Raise) or body.exception is None or body.cause is not None:
        return None
    raised = body.exception
    message: Optional[Expr] = None
    if isinstance(raised, Call) and len(raised.args) == 1 and not raised.keywords:
        message = raised.args[0]
        raised = raised.func
    if isinstance(raised, Builtin) and raised.name == "AssertionError":
        return Assert(negate(branch.test), message, branch.offset)
    return None
