"""What happens to a value when it is thrown away: an expression statement, or the end of something kept on the stack."""

from __future__ import annotations

from depyf.bytecode.canonical import Instruction

from ..structuring.jumps import Exit
from ..tree import Assign, Call, Const, Expr, ExprStmt, ImportFrom, List_, Name, Unary
from .lift import Lifter, expression_statement
from .needs import NeedsContainers
from .stores import fill
from .values import (
    Chained,
    Copied,
    Fresh,
    Held,
    Imported,
    Inplace,
    Joined,
    Local,
    ManagerPart,
    Marker,
    UnpackedItem,
    resolve,
)

_BUILDS = frozenset((
    "BUILD_LIST", "BUILD_SET", "BUILD_MAP", "BUILD_CONST_KEY_MAP", "BUILD_UNPACK", "LIST_EXTEND", "SET_UPDATE", "DICT_UPDATE",
    "LIST_APPEND", "SET_ADD", "MAP_ADD",
))  # fmt: skip


def lift_pop(lifter: Lifter, instruction: Instruction) -> None:
    """The end of an expression statement, or of something that a statement kept on the stack."""
    value = lifter.stack.pop()
    if isinstance(value, Call):
        expression_statement(lifter, value, instruction.offset)
        return
    if isinstance(value, Marker):
        _discard_marker(lifter, value, instruction)
        return
    if isinstance(value, Copied):
        if value.evaluated or any(v is value for v in lifter.stack):
            return
        value = lifter.only_copy(value)
        if isinstance(value, Local):
            return
    if isinstance(value, Chained):
        _forget_stored(lifter, value)
        return
    if isinstance(value, Inplace):
        lifter.settle_inplace(value)
        return
    if isinstance(value, Const):
        return
    if lifter.stack and _is_constant_truth(value):
        lifter._drop_pending(value)  # of `not 1 or a`, where only `a` is left
        return
    if isinstance(value, (List_, Fresh)) and not (isinstance(value, Fresh) and value.looped):
        display = resolve(value)
        at_once = _was_just_built(lifter) and not any(isinstance(i, Copied) for i in getattr(display, "items", ()))
        if not getattr(display, "items", True):
            return
        if not at_once and not lifter.safe:  # kept for a while: of a program that passes values in lists
            raise NeedsContainers()
    if isinstance(value, (Held, Joined)) and not any(v is value for v in lifter.pending):
        if isinstance(value, Held) and _was_just_read(lifter, value):
            expression_statement(lifter, value, instruction.offset)
        return
    assert lifter.block is not None
    if isinstance(value, (Held, Joined)) and (lifter.pending[-1] is not value or value.block.handler is not lifter.block.handler):
        value.crossed = True  # evaluated where it was, and forgotten here
        lifter._drop_pending(value)
        return
    expression_statement(lifter, value, instruction.offset)


def _is_constant_truth(value: Expr) -> bool:
    """Whether a value is `not 1` or the like, which runs no code; a constant of generated code may be any object."""
    if not isinstance(value, Unary) or value.op != "not" or not isinstance(value.operand, Const):
        return False
    return type(value.operand.value) in (bool, int, float, complex, str, bytes, type(None), type(...))


def _was_just_read(lifter: Lifter, value: Held) -> bool:
    """Whether a variable was read to be thrown away at once, as an arm of a conditional expression: it may be unbound."""
    assert lifter.block is not None
    if not isinstance(value.value, Local) or lifter.position or value.block.handler is not lifter.block.handler:
        return False
    return lifter.block.predecessors == [value.block] and len(value.block.successors) == 1


def _was_just_built(lifter: Lifter) -> bool:
    """Whether a display is thrown away at once: that is a statement."""
    assert lifter.block is not None
    if lifter.position:
        return lifter.block.instructions[lifter.position - 1].op in _BUILDS
    return any(p.instructions[-2:-1] and p.instructions[-2].op in _BUILDS for p in lifter.block.predecessors)


def _forget_stored(lifter: Lifter, value: Chained) -> None:
    """(a := value) as a statement: before 3.10 the compiler folds nothing in it, and would in an assignment. What was evaluated
    after it still waits."""
    position = next((n for n, v in enumerate(lifter.pending) if v is value), len(lifter.pending))
    later = lifter.pending[position + 1 :]
    lifter.pending = lifter.pending[:position]
    if all(isinstance(target, Name) for target in value.targets):
        lifter.emit(ExprStmt(lifter.walrus(value), value.offset))
    else:
        lifter.emit(Assign(value.targets, value.value, value.offset))
    lifter.pending += later


def _discard_marker(lifter: Lifter, value: Marker, instruction: Instruction) -> None:
    if isinstance(value, Imported) and value.names:
        names = value.names
        lifter.emit(ImportFrom(value.module, names, value.level, value.lazy, value.offset))
    elif isinstance(value, ManagerPart) and value.part == "exiting":
        lifter.emit(Exit(value.manager, instruction.offset))
    elif isinstance(value, UnpackedItem):
        distance = 1
        following = lifter.following()
        while following is not None and following.op == "POP":
            distance += 1
            following = lifter.following(distance)
        stored = lifter.stack[-distance] if len(lifter.stack) >= distance else None
        if following is not None and following.op == "STORE_LOCAL" and isinstance(stored, UnpackedItem):
            fill(lifter, value, Name(following.arg, instruction.offset))  # _, _ = value: the last store is enough
            return
        lifter.stack.append(value)
        lifter.pop()
