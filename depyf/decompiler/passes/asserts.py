"""assert: an `if` whose body raises the interpreter's own AssertionError."""

from __future__ import annotations

from typing import List, Optional

from depyf.bytecode.canonical import Graph
from depyf.bytecode.codes import assertion_error_by_name

from ..logic import negate
from ..tree import Assert, Call, Const, Expr, If, Name, Raise, Starred, Stmt
from ..values import Builtin
from ..walk import all_lists


def make_asserts(statements: List[Stmt], by_name: bool) -> None:
    """`by_name`: a raise of what is called AssertionError may have been written as an assert."""
    for current in all_lists(statements):
        for index, statement in enumerate(current):
            if isinstance(statement, If) and len(statement.body) == 1 and not statement.orelse:
                made = _assert(negate(statement.test), statement.body[0], statement.offset, by_name)
                if made is not None:
                    current[index] = made
            elif isinstance(statement, If) and len(statement.orelse) == 1:
                made = _assert(statement.test, statement.orelse[0], statement.offset, by_name)
                if made is not None:
                    current[index : index + 1] = [made, *statement.body]
            else:
                made = _assert(Const(False), statement, statement.offset, by_name)
                if made is not None:
                    current[index] = made


def _assert(test: Expr, body: Stmt, offset: int, by_name: bool) -> Optional[Stmt]:
    if not isinstance(body, Raise) or body.exception is None or body.cause is not None:
        return None
    raised = body.exception
    message: Optional[Expr] = None
    if isinstance(raised, Call) and len(raised.args) == 1 and not raised.keywords:
        if isinstance(raised.args[0], Starred):
            return None
        message = raised.args[0]
        raised = raised.func
    if by_name and isinstance(raised, Name) and raised.id == _NAME:
        return Assert(test, message, offset)
    if isinstance(raised, Builtin) and raised.name == _NAME:
        return Assert(test, message, offset)
    return None


_NAME = "AssertionError"


def asserts_by_name(graph: Graph) -> bool:
    """Whether nothing tells an assert from a raise here: up to 3.8 it looks the name up, but only among the globals."""
    if not assertion_error_by_name():
        return False
    if "LOAD_NAME" not in graph.ops:
        return True
    return not any(i.op == "LOAD_NAME" and i.arg == _NAME for block in graph.blocks for i in block.instructions)
