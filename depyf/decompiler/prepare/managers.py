"""Where a `with` leads: what its end leads to is where the manager leads that swallows an exception.

`while True: with a: break`: the loop goes on there, so nothing else leads to what stands behind the loop, and no block begins there.
It is a place of its own. Whatever else leaves the manager does it by a jump or `return` that was written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

from depyf.bytecode.canonical import Block, Graph

from .depths import effect
from .ways import past_jumps

if TYPE_CHECKING:
    from .joining import Split

_NOTHING = (("CONST", None), ("COPY", 1), ("COPY", 1))  # the later ones may be copies of the first
_LONGEST_EXIT = 9  # instructions that call the exit of a manager, wait for it, and drop what it gives
_ENDS = frozenset(("POP", "SWAP", "CONST", "RETURN", "JUMP", "FALL"))


def split_behind_managers(graph: Graph, split: Split) -> None:
    for block in list(graph.blocks):
        end = _end_of_exit(block)
        if end is not None and any(i.op not in _ENDS for i in block.instructions[end:]) and _goes_on_in_loop(block):
            split(graph, block, end)


def _end_of_exit(block: Block) -> Optional[int]:
    """Where a block goes on that begins by leaving a manager: its exit was there, and is called with three times None."""
    depth = block.depth
    called = False
    for position, instruction in enumerate(block.instructions[:_LONGEST_EXIT]):
        if position < 3 and (instruction.op, instruction.arg) not in _NOTHING[: position + 1]:
            return None
        needed, pushed = effect(instruction)
        called = called or instruction.op == "CALL" and depth - needed < block.depth
        depth += pushed - needed
        if called and instruction.op == "POP":
            return position + 1
    return None


def leaves_for_good(block: Block) -> bool:
    """Whether a block leaves a manager and returns None, unlike what the end of the `with` leads to: by a jump or `return`."""
    end = _end_of_exit(block)
    if end is None or any(i.op not in _ENDS for i in block.instructions[end:]):
        return False
    for before in block.predecessors:
        target = before.handler.target if before.handler is not None else None
        if target is not None and any(i.op == "WITH_EXCEPT" for i in target.instructions):
            return not any(_returns_nothing(way) for way in target.successors)
    return False


def _returns_nothing(way: Block) -> bool:
    """Whether a way only drops values and returns None."""
    passed = {way}
    while way.terminator.op in ("FALL", "JUMP") and all(i.op in _DROPS for i in way.instructions):
        way = past_jumps((way.successors[0], 0))[0]
        if way in passed:
            return False
        passed.add(way)
    left = [i for i in way.instructions if i.op not in _DROPS]
    return [(i.op, i.arg) for i in left] == [("CONST", None), ("RETURN", None)]


def _goes_on_in_loop(block: Block) -> bool:
    """Whether swallowing an exception of the body leads back, to before the place where the body ends."""
    for before in block.predecessors:
        target = before.handler.target if before.handler is not None else None
        if target is not None and any(i.op == "WITH_EXCEPT" for i in target.instructions):
            return any(_leads_back(way, block) for way in target.successors)
    return False


def _leads_back(way: Block, block: Block) -> bool:
    """Whether a way only drops values and goes back."""
    passed = {way}
    while way.terminator.op in ("FALL", "JUMP") and all(i.op in _DROPS for i in way.instructions):
        way = past_jumps((way.successors[0], 0))[0]
        if way.offset < block.offset:
            return True
        if way in passed:
            return False
        passed.add(way)
    return False


_DROPS = frozenset(("POP", "POP_EXCEPT", "JUMP", "FALL"))
