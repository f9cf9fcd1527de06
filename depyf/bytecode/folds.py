"""Shapes of several raw instructions that are one canonical instruction, found before lowering.

Each fold checks that nothing jumps into the middle of what it takes; otherwise the instructions stay what they are.
"""

from __future__ import annotations

from typing import Set

from depyf.bytecode.builder import Builder


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


def _fold_generator_start(builder: Builder) -> None:
    raw = builder.raw
    start, pop, nop = (raw.layout.number[name] for name in ("RETURN_GENERATOR", "POP_TOP", "NOP"))
    index = raw.ops.index(start)
    if index + 1 >= len(raw.ops) or raw.ops[index + 1] != pop:
        raise raw.error("the start of a generator does not pop what resumes it", index)
    raw.ops[index + 1] = nop


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
        raw.ops[index + 1 : index + 4] = [number["NOP"]] * 3
        del raw.targets[back]
        target = raw.targets[index]
        if end_send >= 0:
            if raw.ops[target] != end_send or target + 1 >= len(raw.ops):
                raise raw.error("SEND does not end at an END_SEND", index)
            builder.absorbed.add(raw.offsets[target])
            raw.targets[index] = target + 1
        builder.sends.add(index)


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


def _jumped_to(builder: Builder) -> Set[int]:
    entered = set(builder.raw.targets.values())
    entered.update(target for target, _, _ in builder.protection.handlers)
    return entered
