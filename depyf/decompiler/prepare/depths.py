"""How deep the stack is inside a block, and how deep a block reaches into it: for canonical code with cases folded into it."""

from __future__ import annotations

from typing import Any, Callable, Dict

from depyf.bytecode.canonical import Block, Instruction
from depyf.bytecode.effects import FIXED, VARIABLE, Effect

FIXED_EFFECTS = {**FIXED, "CLEANUP": (0, 0), "LEAVE_STAR": (0, 0), "SUBJECT": (1, 1)}
_VARIABLE: Dict[str, Callable[[Any], Effect]] = {**VARIABLE, "CASE": lambda case: (1, 1) if case.pops else (1, 2)}


def effect(instruction: Instruction) -> Effect:
    """Slots needed and popped, and slots pushed."""
    return FIXED_EFFECTS.get(instruction.op) or _VARIABLE[instruction.op](instruction.arg)


def depth_at(block: Block, position: int) -> int:
    """How many slots there are before the instruction at `position`."""
    depth: int = block.depth
    for instruction in block.instructions[:position]:
        needed, pushed = effect(instruction)
        depth += pushed - needed
    return depth


def lowest_depth(block: Block, position: int) -> int:
    """How many of the slots that a block began with it has left alone before `position`."""
    depth: int = block.depth
    lowest = depth
    for instruction in block.instructions[:position]:
        needed, pushed = effect(instruction)
        lowest = min(lowest, depth - needed)
        depth += pushed - needed
    return lowest


def sinks_below(block: Block, depth: int) -> bool:
    """Whether the stack is lower than `depth` anywhere in a block: what lay there when it began has been used."""
    current: int = block.depth
    for instruction in block.instructions:
        if current < depth:
            return True
        needed, pushed = effect(instruction)
        current += pushed - needed
    return False


def drops_older(block: Block) -> bool:
    """Whether a POP in a block drops what was there before it began, as one does with the subject of a match or the iterator of a
    loop that is left. Most drop what the instruction in front of them pushed."""
    before = None
    for instruction in block.instructions:
        if instruction.op == "POP" and (before is None or before.op == "SWAP" or not effect(before)[1]):
            return _drops_older(block)
        before = instruction
    return False


def _drops_older(block: Block) -> bool:
    depth = lowest = 0
    swapped = False  # then it may lie above what is newer
    for instruction in block.instructions:
        if instruction.op == "POP" and (depth <= lowest or swapped):
            return True
        swapped = swapped or instruction.op == "SWAP" and depth < instruction.arg
        needed, pushed = effect(instruction)
        lowest = min(lowest, depth - needed)
        depth += pushed - needed
    return False
