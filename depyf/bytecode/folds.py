"""Shapes of several raw instructions that are one canonical instruction, found before lowering.

Each fold checks that nothing jumps into the middle of what it takes; otherwise the instructions stay what they are.
"""

from __future__ import annotations

from typing import List, Set

from depyf.bytecode.builder import Builder
from depyf.bytecode.reached import drop_constant_tests, reached


def fold(builder: Builder) -> None:
    """Find all folds of the code object; what they need is noted in the builder and in its raw instructions."""
    raw = builder.raw
    number = raw.layout.number
    ops = raw.ops
    if number.get("RETURN_GENERATOR", -1) in ops:
        _fold_generator_start(builder)
    if number.get("SEND", -1) in ops:
        _fold_send_loops(builder)
    if number.get("END_FOR", -1) in ops:
        _fold_loop_exits(builder)
    if number.get("LOAD_SPECIAL", -1) in ops:
        _fold_with_starts(builder)


def _fold_generator_start(builder: Builder) -> None:
    raw = builder.raw
    start, pop, nop = (raw.layout.number[name] for name in ("RETURN_GENERATOR", "POP_TOP", "NOP"))
    index = raw.ops.index(start)
    if index + 1 >= len(raw.ops) or raw.ops[index + 1] != pop:
        raise raw.error("the start of a generator does not pop what resumes it", index)
    raw.ops[index + 1] = nop
    if raw.layout.version >= (3, 12):
        builder.leaks = not _fold_stop_iteration_handler(builder, index + 2)


def _fold_stop_iteration_handler(builder: Builder, start: int) -> bool:
    """The handler around a whole generator is part of what a generator is, if it covers all that no other does.

    Its depth does not matter: it looks at nothing but the exception (3.15 starts generators with an iterator below).
    """
    raw, protection = builder.raw, builder.protection
    covering = protection.covering
    if covering is None:
        return False
    number = raw.layout.number
    shape = [number["CALL_INTRINSIC_1"], number["RERAISE"]]
    for which, (target, _, lasti) in enumerate(protection.handlers):  # noqa: B007
        if raw.ops[target : target + 2] == shape and raw.args[target : target + 2] == [3, 1] and lasti:
            break
    else:
        return False
    names = _SILENT + (_SILENT_JUMPS if raw.layout.version >= (3, 13) else [])
    silent = {number[name] for name in names if name in number}
    bare = [
        index for index in range(start, len(raw.ops))
        if covering[index] < 0 and raw.ops[index] not in silent and not target <= index < target + 2
    ]  # fmt: skip
    if bare:
        running = reached(builder, start, silent)
        if not running.isdisjoint(bare):  # handlers of what cannot raise are kept, and never run
            protection.handlers[which] = (target, 0, lasti)
            return False
        drop_constant_tests(builder, running, _jumped_to(builder))
    protection.covering = [-1 if handler == which else handler for handler in covering]
    builder.absorbed.update(raw.offsets[target : target + 2])
    return True


def _fold_send_loops(builder: Builder) -> None:
    """SEND, YIELD_VALUE, RESUME, JUMP_BACKWARD_NO_INTERRUPT to the SEND; then END_SEND at its target (3.12+)."""
    raw = builder.raw
    number = raw.layout.number
    send, end_send = number["SEND"], number.get("END_SEND", -1)
    members = [number["YIELD_VALUE"], number["RESUME"], number["JUMP_BACKWARD_NO_INTERRUPT"]]
    entered = _jumped_to(builder)
    for index, op in enumerate(raw.ops):
        if op != send:
            continue
        back = index + 3
        if raw.ops[index + 1 : index + 4] != members or raw.targets.get(back) != index:
            continue
        if entered.intersection(range(index + 1, index + 4)):
            continue
        depth = None
        target = raw.targets[index]
        if end_send >= 0:
            depth = _cleanup_depth(builder, index)
            if raw.ops[target] != end_send or target + 1 >= len(raw.ops) or depth < 0:
                continue
            builder.absorbed.add(raw.offsets[target])
            raw.targets[index] = target + 1
        raw.ops[index + 1 : index + 4] = [number["NOP"]] * 3
        del raw.targets[back]
        builder.sends[index] = depth


def _cleanup_depth(builder: Builder, index: int) -> int:
    """The stack depth at which an exception thrown into a SEND loop is handled, or -1 if it is not as it should be.

    The handler must be a CLEANUP_THROW which goes on to where the SEND ends and is covered by what covers the SEND.
    """
    raw, covering = builder.raw, builder.protection.covering
    if covering is None or covering[index + 1] < 0:
        return -1
    target, depth, lasti = builder.protection.handlers[covering[index + 1]]
    if raw.name(target) != "CLEANUP_THROW" or lasti or covering[target] != covering[index]:
        return -1
    after = target + 1
    if raw.targets.get(after, after) != raw.targets[index]:
        return -1
    builder.absorbed.add(raw.offsets[target])
    if after in raw.targets:
        builder.absorbed.add(raw.offsets[after])
    return depth


def _fold_loop_exits(builder: Builder) -> None:
    """FOR_ITER leaves to END_FOR and, from 3.13 on, the pop of the iterator: the exit goes behind them."""
    raw = builder.raw
    number = raw.layout.number
    for_iter, end_for = number["FOR_ITER"], number["END_FOR"]
    second = number.get("POP_ITER", number["POP_TOP"]) if raw.layout.version >= (3, 13) else None
    for index, op in enumerate(raw.ops):
        if op != for_iter:
            continue
        target = raw.targets[index]
        if raw.ops[target] != end_for:
            raise raw.error("FOR_ITER does not leave to an END_FOR", index)
        builder.absorbed.add(raw.offsets[target])
        after = target + 1
        if second is not None:
            pops = after < len(raw.ops) and raw.ops[after] == second
            builder.loop_exits[index] = pops
            if pops:
                builder.absorbed.add(raw.offsets[after])
                after += 1
        if after >= len(raw.ops):
            raise raw.error("FOR_ITER leaves to the end of the code", index)
        raw.targets[index] = after


def _fold_with_starts(builder: Builder) -> None:
    """COPY 1, LOAD_SPECIAL exit, SWAP 2, SWAP 3, LOAD_SPECIAL enter, CALL 0 (3.14+) are one ENTER, at the CALL."""
    raw = builder.raw
    number = raw.layout.number
    shape = [number[name] for name in ("COPY", "LOAD_SPECIAL", "SWAP", "SWAP", "LOAD_SPECIAL", "CALL")]
    entered = _jumped_to(builder)
    covering = builder.protection.covering
    special = shape[1]
    for exit_index, op in enumerate(raw.ops):
        first, last = exit_index - 1, exit_index + 4
        if op != special or first < 0 or raw.ops[first : last + 1] != shape:
            continue
        arguments = raw.args[first : last + 1]
        if arguments not in _WITH_STARTS or entered.intersection(range(first + 1, last + 1)):
            continue
        if covering is not None and len(set(covering[first : last + 1])) > 1:
            continue
        raw.ops[first:last] = [number["NOP"]] * 5
        builder.enters[last] = "ENTER" if arguments == _WITH_STARTS[0] else "ENTER_ASYNC"


_WITH_STARTS: List[List[int]] = [[1, 1, 2, 3, 0, 0], [1, 3, 2, 3, 2, 0]]

# may stand outside of the handler of a whole generator, because they cannot raise
_SILENT = (
    "NOP RESUME NOT_TAKEN COPY SWAP POP_TOP POP_EXCEPT LOAD_CONST RETURN_VALUE RETURN_CONST "
    "JUMP_FORWARD JUMP_BACKWARD JUMP_BACKWARD_NO_INTERRUPT LOAD_COMMON_CONSTANT LOAD_SMALL_INT"
).split()
# these test nothing since 3.13
_SILENT_JUMPS = "POP_JUMP_IF_TRUE POP_JUMP_IF_FALSE POP_JUMP_IF_NONE POP_JUMP_IF_NOT_NONE".split()


def _jumped_to(builder: Builder) -> Set[int]:
    entered = set(builder.raw.targets.values())
    entered.update(target for target, _, _ in builder.protection.handlers)
    return entered
