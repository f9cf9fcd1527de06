"""What follows a `with` from which only a `break` leads on: `while True: with a: break`.

Where the manager swallows an exception, the loop goes on, so nothing else leads to what stands behind the loop, and no block
begins there. It is a place of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, List, Optional

from depyf.bytecode.canonical import ABOVE, BELOW, Block, Graph, Instruction

from .ways import past_jumps

if TYPE_CHECKING:
    from .copies import Split

_NOTHING = ("CONST", None)
_ENDS = frozenset(("POP", "SWAP", "CONST", "RETURN", "JUMP", "FALL"))


def split_behind_managers(graph: Graph, split: Split) -> None:
    for block in list(graph.blocks):
        end = _end_of_exit(block.instructions)
        if end is not None and any(i.op not in _ENDS for i in block.instructions[end:]) and _goes_on_in_loop(block):
            split(graph, block, end)


def _end_of_exit(instructions: List[Instruction]) -> Optional[int]:
    """Where a block goes on that begins by leaving a manager."""
    ops = [(i.op, i.arg) for i in instructions[:5]]
    if ops[:3] != [_NOTHING] * 3 or ops[3:] not in ([("CALL", (3, ABOVE)), ("POP", None)], [("CALL", (2, BELOW)), ("POP", None)]):
        return None
    return 5


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
