"""What the end of a block uses: how many values the block has put on the stack before it, and where those below are from.

Copies of what uses a value that several ways lead to may differ in that value, and in nothing else.
"""

from __future__ import annotations

from types import CodeType
from typing import List, Optional, Set, Tuple

from depyf.bytecode.canonical import Block
from depyf.bytecode.effects import effect_of

from .depths import depth_at, lowest_depth


def first_use(block: Block) -> Optional[int]:
    """The first instruction that takes a value from before the block together with one that came after it."""
    depth = lowest = block.depth
    for position, instruction in enumerate(block.instructions):
        needed, pushed = effect_of(instruction.op, instruction.arg)
        if needed > 1 and depth - needed < lowest and instruction.op not in ("COPY", "SWAP"):
            return position
        lowest = min(lowest, depth - needed)
        depth += pushed - needed
    return None


def same_origin(blocks: List[Block], length: int) -> bool:
    return len({origin(block, len(block.instructions) - length) for block in blocks}) == 1


def origin(block: Block, start: int) -> Optional[int]:
    """Tells where what is used from `start` on is from, below the value on top, or that a chain of comparisons goes on with; None
    if there is nothing. In return a < b < c if d else e < f < g, each of the last comparisons has its own, and so has
    each call in f(a or b) if c else f(d or e)."""
    left: Optional[int] = None
    below = depth_at(block, start) - 1
    depth = lowest = block.depth
    for position, instruction in enumerate(block.instructions):
        needed, pushed = effect_of(instruction.op, instruction.arg)
        if position >= start and depth - needed < lowest and (depth - needed < below or _continues_chain(block, position)):
            left = depth - needed
        lowest = min(lowest, depth - needed)
        depth += pushed - needed
    above, seen = block, {block}
    while left is not None and above.depth > left and above.predecessors and above.predecessors[0] not in seen:
        above = above.predecessors[0]  # whichever: the value is there on all ways
        seen.add(above)
    return None if left is None else id(above)


def _continues_chain(block: Block, position: int) -> bool:
    """Whether an instruction compares with an operand of the comparison before it, or drops that where the chain ends early."""
    ops = [i.op for i in block.instructions[position : position + 2]]
    return ops[0] in ("COMPARE", "CONTAINS", "IS") or ops == ["SWAP", "POP"]


def alike_at(blocks: List[Block], length: int, counts: Tuple[Set[int], ...] = ({0}, {1})) -> bool:
    """Whether the blocks, apart from their last `length` instructions, have put one value on the stack, or none at all.

    Only that value may be another one on each way; code of which a function is made is no value."""
    before = [b.instructions[-length - 1] for b in blocks if len(b.instructions) > length]
    if any(i.op == "CONST" and isinstance(i.arg, CodeType) for i in before):
        return False
    found = {values_at(b, len(b.instructions) - length) for b in blocks if len(b.instructions) > length}
    if found == {1} and _goes_on_building(blocks[0], len(blocks[0].instructions) - length):
        return False
    return found in counts or not found and {0} in counts


_ADDS = frozenset(("LIST_EXTEND", "SET_UPDATE", "DICT_UPDATE", "DICT_MERGE", "LIST_APPEND", "SET_ADD"))


def _goes_on_building(block: Block, start: int) -> bool:
    """Whether the value on top at `start` is a display that gets more items behind it, or a part of a string: nothing chooses among
    such."""
    depth = top = depth_at(block, start)
    for instruction in block.instructions[start:]:
        needed, pushed = effect_of(instruction.op, instruction.arg)
        if instruction.op in _ADDS and depth - instruction.arg == top or instruction.op == "LIST_TO_TUPLE" and depth == top:
            return True
        if instruction.op == "BUILD_STRING" and depth - needed < top:
            return True  # a part of an f-string that is no value: what is chosen there is formatted
        if instruction.op == "BUILD_UNPACK" and depth - needed < top:  # 3.8: of groups of items
            return block.instructions[start - 1].op.startswith("BUILD_")
        if depth - needed < top:
            return False  # it is used
        depth += pushed - needed
    return False


def values_at(block: Block, position: int) -> int:
    """How many values a block has put on the stack before `position`."""
    return depth_at(block, position) - lowest_depth(block, position)
