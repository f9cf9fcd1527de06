"""assert: an `if` whose body raises the interpreter's own AssertionError."""

from __future__ import annotations

from typing import FrozenSet, List, Optional, Set

from depyf.bytecode.canonical import Graph
from depyf.bytecode.codes import assertion_error_by_name

from ..lifting.values import Builtin, resolve
from ..marks import Lines
from ..structuring.logic import negate
from ..structuring.walk import all_lists
from ..tree import Assert, BoolOp, Call, Const, Expr, If, Name, Raise, Starred, Stmt


def make_asserts(statements: List[Stmt], by_name: FrozenSet[int], lines: Lines, in_function: bool) -> None:
    """`by_name`: where a raise of what is called AssertionError may have been written as an assert. In a function nothing tells one
    without a test from assert False, of which there are few."""
    alone: FrozenSet[int] = frozenset() if in_function else by_name
    parted: Set[int] = set()  # from their guards, by identity: their tests are those of asserts
    for current in all_lists(statements):
        for index, statement in enumerate(current):
            if isinstance(statement, If) and len(statement.body) == 1 and not statement.orelse:
                if id(statement) not in parted and _part_from_guard(statement, lines):
                    parted.add(id(statement.body[0]))
                made = _assert(negate(statement.test), statement.body[0], statement.offset, by_name)
                if made is not None and (id(statement) in parted or not _is_below(statement.body[0], statement, lines)):
                    current[index] = made
            elif isinstance(statement, If) and len(statement.orelse) == 1:
                made = _assert(statement.test, statement.orelse[0], statement.offset, by_name)
                if made is not None and not _is_below(statement.orelse[0], statement, lines):
                    current[index : index + 1] = [made, *statement.body]
            else:
                made = _assert(Const(False), statement, statement.offset, alone)
                if made is not None:
                    current[index] = made


def _is_below(raised: Stmt, test: If, lines: Lines) -> bool:
    """else: assert False. An assert raises on the line on which it begins, so this is not that of a test on an earlier line."""
    line, tested = lines.get(raised.offset), lines.get(test.offset)
    return line is not None and tested is not None and line > tested


def _part_from_guard(statement: If, lines: Lines) -> bool:
    """if a: assert b. The test that is on an earlier line is not of the assert. Whether there is one."""
    test = resolve(statement.test)
    raised = lines.get(statement.body[0].offset)
    if not isinstance(test, BoolOp) or test.op != "and" or raised is None or not isinstance(statement.body[0], Raise):
        return False
    guards = [v for v in test.values if (lines.get(resolve(v).offset) or raised) < raised]
    count = len(guards)
    if not 0 < count < len(test.values) or any(one is not other for one, other in zip(guards, test.values)):
        return False
    rest = test.values[count:]
    inner = If(rest[0] if len(rest) == 1 else BoolOp("and", rest, test.offset), statement.body, [], statement.offset)
    statement.test = guards[0] if count == 1 else BoolOp("and", guards, test.offset)
    statement.body = [inner]
    return True


def _assert(test: Expr, body: Stmt, offset: int, by_name: FrozenSet[int]) -> Optional[Stmt]:
    if not isinstance(body, Raise) or body.exception is None or body.cause is not None:
        return None
    raised = body.exception
    message: Optional[Expr] = None
    if isinstance(raised, Call) and len(raised.args) == 1 and not raised.keywords:
        if isinstance(raised.args[0], Starred):
            return None
        message = raised.args[0]
        raised = raised.func
    if isinstance(raised, Name) and raised.offset in by_name:
        return Assert(test, message, offset)
    if isinstance(raised, Builtin) and raised.name == _NAME:
        return Assert(test, message, offset)
    return None


_NAME = "AssertionError"


def asserted_names(graph: Graph) -> FrozenSet[int]:
    """The offsets at which AssertionError is loaded as an assert does that looks up its name (up to 3.8): among the globals, also in
    a class or module, which look there for no other name unless it is declared."""
    if not assertion_error_by_name() or "LOAD_GLOBAL" not in graph.ops:
        return frozenset()
    loads = [i for block in graph.blocks for i in block.instructions if i.op == "LOAD_GLOBAL" and i.arg == _NAME]
    return frozenset([i.offset for i in loads])
