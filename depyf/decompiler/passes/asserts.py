"""assert: an `if` whose body raises the interpreter's own AssertionError."""

from __future__ import annotations

from typing import Dict, List, Optional

from depyf.bytecode.canonical import Graph
from depyf.bytecode.codes import assertion_error_by_name

from ..lifting.values import Builtin, resolve
from ..structuring.logic import negate
from ..structuring.walk import all_lists
from ..tree import Assert, BoolOp, Call, Const, Expr, If, Name, Raise, Starred, Stmt

Lines = Dict[int, Optional[int]]


def make_asserts(statements: List[Stmt], by_name: bool, lines: Lines) -> None:
    """`by_name`: a raise of what is called AssertionError may have been written as an assert."""
    for current in all_lists(statements):
        for index, statement in enumerate(current):
            if isinstance(statement, If) and len(statement.body) == 1 and not statement.orelse:
                _part_from_guard(statement, lines)
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


def _part_from_guard(statement: If, lines: Lines) -> None:
    """if a: assert b. An assert raises on the line on which it begins, so a test on an earlier line is not of it."""
    test = resolve(statement.test)
    raised = lines.get(statement.body[0].offset)
    if not isinstance(test, BoolOp) or test.op != "and" or raised is None or not isinstance(statement.body[0], Raise):
        return
    guards = [v for v in test.values if (lines.get(resolve(v).offset) or raised) < raised]
    count = len(guards)
    if not 0 < count < len(test.values) or any(one is not other for one, other in zip(guards, test.values)):
        return
    rest = test.values[count:]
    inner = If(rest[0] if len(rest) == 1 else BoolOp("and", rest, test.offset), statement.body, [], statement.offset)
    statement.test = guards[0] if count == 1 else BoolOp("and", guards, test.offset)
    statement.body = [inner]


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
