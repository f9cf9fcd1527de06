"""Iteration, `with`, exceptions, match and the ends of blocks: values that statements keep on the stack."""

from __future__ import annotations

from typing import List

from depyf.bytecode.canonical import Instruction

from ..structuring.jumps import Cleanup, End, Enter, Reraise
from ..tree import (
    Await,
    Call,
    Const,
    Expr,
    ExprStmt,
    Raise,
    Return,
    Yield,
    YieldFrom,
)
from .displays import show_set
from .filled import may_be_filled
from .lift import Lifter, Operation
from .states import State
from .tested import decides_nothing
from .unpacking import end_block_with_open_unpackings
from .values import (
    NULL,
    Awaitable,
    Builtin,
    Caught,
    ComprehensionCall,
    Fresh,
    Iterator,
    Manager,
    ManagerPart,
    NextItem,
    Opaque,
    Test,
    resolve,
)

# ---------------------------------------------------------------- generators and loops


def iter_(lifter: Lifter, instruction: Instruction) -> None:
    show_set(lifter)
    [value] = lifter.use([lifter.pop()])
    if _is_handed_on(lifter):
        lifter.build(call_of_iter(value, instruction.offset), [value])
    else:
        lifter.push(Iterator(value, False, False, instruction.offset))
    if instruction.arg == 2:
        lifter.push(NULL)


def call_of_iter(value: Expr, offset: int) -> Expr:
    """An iterator that is no loop's: PyTorch's code hands them on."""
    return Call(Builtin("iter", offset), [value], [], offset)


def _is_handed_on(lifter: Lifter) -> bool:
    """Whether an iterator that was just made is a value like others: nothing here iterates over it."""
    following = lifter.following()
    if following is not None and following.op == "BUILD_LIST":
        following = lifter.following(2)  # a comprehension has its list below the iterator
        return following is not None and following.op != "SWAP"
    return following is not None and following.op in _EVALUATES


_EVALUATES = frozenset(("LOAD_LOCAL", "LOAD_GLOBAL", "LOAD_NAME", "LOAD_CELL", "CONST"))


def aiter(lifter: Lifter, instruction: Instruction) -> None:
    show_set(lifter)  # in a comprehension
    [value] = lifter.use([lifter.pop()])
    lifter.push(Iterator(value, False, True, instruction.offset))


def yield_(lifter: Lifter, instruction: Instruction) -> None:
    operands = lifter.use([lifter.pop()])
    value = operands[0]
    plain = isinstance(value, Const) and value.value is None
    lifter.build(Yield(None if plain else value, instruction.offset), operands)


def awaitable(lifter: Lifter, instruction: Instruction) -> None:
    value = lifter.stack[-1]
    if isinstance(value, ManagerPart):
        return
    operands = lifter.use([lifter.pop()])
    lifter.build(Awaitable(operands[0], "await", instruction.offset), operands)


def yield_from_iter(lifter: Lifter, instruction: Instruction) -> None:
    operands = lifter.use([lifter.pop()])
    lifter.build(Awaitable(operands[0], "yield from", instruction.offset), operands)
    if instruction.arg == 2:
        lifter.push(NULL)


def yield_from(lifter: Lifter, instruction: Instruction) -> None:
    lifter.pop()  # the None that is sent first
    if instruction.arg == 2:
        lifter.pop()
    value = lifter.stack[-1]
    if isinstance(value, ManagerPart):
        if value.part == "entering":
            lifter.stack[-1] = ManagerPart(value.manager, "entered", instruction.offset)
        return
    operands = lifter.use([lifter.pop()])
    inner = operands[0]
    if not isinstance(inner, Awaitable):
        raise lifter.error("waits for something that was not made awaitable", instruction)
    waited = resolve(inner.value)
    if isinstance(waited, ComprehensionCall) and inner.kind == "await" and waited.waits():
        waited.waited = True
        lifter.build(inner.value, operands)
        return
    made: Expr = (Await if inner.kind == "await" else YieldFrom)(inner.value, instruction.offset)
    lifter.build(made, operands)


def cleanup(lifter: Lifter, instruction: Instruction) -> None:
    lifter.emit(Cleanup(instruction.arg.handler, instruction.arg.numbers, instruction.offset))


def next_(lifter: Lifter, instruction: Instruction) -> None:
    end_block_with_open_unpackings(lifter)
    assert lifter.block is not None
    slots, pops = instruction.arg[:2]
    is_async = len(instruction.arg) > 2
    iterator = lifter.stack[-slots]
    if not isinstance(iterator, Iterator):
        lifter.use([iterator])
        made = Iterator(iterator, True, is_async, instruction.offset)
        lifter.stack[-slots] = iterator = made
    lifter._drop_pending(iterator)
    below = lifter.stack[-slots - 1] if len(lifter.stack) > slots else None
    complete: List[Expr] = []
    slot = len(lifter.stack) - slots - 1
    if isinstance(below, Fresh) and may_be_filled(lifter.code.co_name, below, iterator, lifter.block, slot):
        below.looped = True
        complete = [below]  # behind the loop the comprehension has run
    item = NextItem(lifter.block)
    lifter.lifted.loop = (iterator, item)
    state = lifter.hold(lifter.stack)
    body = State([*state.stack, item], state.pending)
    exhausted = State(state.stack[:-slots] if pops else state.stack, [*state.pending, *complete])
    lifter.lifted.exits = [body, exhausted]


# ---------------------------------------------------------------- with and exceptions


def enter(lifter: Lifter, instruction: Instruction) -> None:
    [value] = lifter.use([lifter.pop()])
    manager = Manager(value, False, instruction.offset)
    lifter.emit(Enter(manager, instruction.offset))
    lifter.push(ManagerPart(manager, "exit"))
    if instruction.arg == 2:
        lifter.push(ManagerPart(manager, "self"))
    lifter.push(ManagerPart(manager, "entered", instruction.offset))


def enter_async(lifter: Lifter, instruction: Instruction) -> None:
    [value] = lifter.use([lifter.pop()])
    manager = Manager(value, True, instruction.offset)
    lifter.emit(Enter(manager, instruction.offset))
    lifter.push(ManagerPart(manager, "exit"))
    if instruction.arg == 2:
        lifter.push(ManagerPart(manager, "self"))
    lifter.push(ManagerPart(manager, "entering"))


def with_except(lifter: Lifter, instruction: Instruction) -> None:
    leaving = lifter.stack[-instruction.arg[0]]
    if not isinstance(leaving, ManagerPart):
        raise lifter.error("leaves a with block that was not entered", instruction)
    lifter.push(ManagerPart(leaving.manager, "suppress"))


def exc_enter(lifter: Lifter, instruction: Instruction) -> None:
    caught = lifter.stack.pop()
    assert isinstance(caught, Caught)
    lifter.stack.extend(Opaque("previous") for _ in range(3))
    lifter.stack.append(Caught(caught.handler, "traceback"))
    lifter.stack.append(caught)
    lifter.stack.append(Caught(caught.handler, "type"))


def push_exc(lifter: Lifter, instruction: Instruction) -> None:
    lifter.stack.insert(-1, Opaque("previous"))


def pop_except(lifter: Lifter, instruction: Instruction) -> None:
    del lifter.stack[-instruction.arg :]


def exc_match(lifter: Lifter, instruction: Instruction) -> None:
    caught, pattern = lifter.pops(2)
    [pattern] = lifter.use([pattern])
    lifter.build(Test("exception", [caught, pattern], instruction.offset, instruction.arg), [])


def test(kind: str, pops: int, keeps: int) -> Operation:
    """An instruction that only a statement can express; `keeps` operands stay on the stack below the result."""

    def operation(lifter: Lifter, instruction: Instruction) -> None:
        kept = lifter.stack[-pops:][:keeps]
        operands = lifter.stack[-pops:]
        del lifter.stack[-pops:]
        lifter.use(list(operands))
        lifter.stack.extend(kept)
        lifter.push_effect(Test(kind, operands, instruction.offset, instruction.arg))

    return operation


def eg_match(lifter: Lifter, instruction: Instruction) -> None:
    caught, pattern = lifter.pops(2)
    [pattern] = lifter.use([pattern])
    lifter.push(Opaque("rest"))
    lifter.build(Test("group", [caught, pattern], instruction.offset), [])


def prep_reraise_star(lifter: Lifter, instruction: Instruction) -> None:
    operands = lifter.stack[-2:]
    del lifter.stack[-2:]
    lifter.push(Test("reraise star", operands, instruction.offset))


# ---------------------------------------------------------------- terminators


def branch(lifter: Lifter, instruction: Instruction) -> None:
    if lifter.stack:
        end_block_with_open_unpackings(lifter)
    test_ = lifter.use_one(lifter.pop())
    assert lifter.block is not None
    if decides_nothing(lifter, lifter.block):
        state = lifter.hold(lifter.stack)
        lifter.end(State(state.stack, state.pending, [test_]))
        return
    lifter.lifted.test = test_
    lifter.end(lifter.hold(lifter.stack))


def jump(lifter: Lifter, instruction: Instruction) -> None:
    if lifter.stack:
        end_block_with_open_unpackings(lifter)
    lifter.end(lifter.hold(lifter.stack))


def print_(lifter: Lifter, instruction: Instruction) -> None:
    value = lifter.use_one(lifter.pop())
    lifter.emit(ExprStmt(value, instruction.offset))


def return_(lifter: Lifter, instruction: Instruction) -> None:
    value = lifter.use_one(lifter.pop())
    lifter.emit((Return if lifter.is_function else End)(value, instruction.offset))


def raise_(lifter: Lifter, instruction: Instruction) -> None:
    operands = lifter.use(lifter.pops(instruction.arg))
    exception = operands[0] if operands else None
    cause = operands[1] if len(operands) > 1 else None
    lifter.emit(Raise(exception, cause, instruction.offset))


def reraise(lifter: Lifter, instruction: Instruction) -> None:
    lifter.emit(Reraise(instruction.offset))
