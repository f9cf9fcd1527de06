"""How a clause `except ... as name` is left: by a jump that was written, or by falling off its end.

The name is set to None and deleted on each way. Where all ways share one clean-up, a jump that was written leaves the handler
first and calls it then, while falling off the end runs it before the handler is left; elsewhere nothing tells the two apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, List, Optional, Set

from depyf.bytecode.canonical import Block, Instruction

if TYPE_CHECKING:
    from .contexts import Context
    from .regions import Regions


def is_name_cleanup(three: List[Instruction]) -> bool:
    """Whether these are `name = None; del name`."""
    if len(three) < 3 or three[0].op != "CONST" or three[0].arg is not None:
        return False
    store, delete = three[1:]
    return store.op.startswith("STORE_") and delete.op == store.op.replace("STORE", "DELETE") and store.arg == delete.arg


def jumps_out(block: Block, regions: Regions) -> bool:
    """Whether a block ends the way of a jump that somebody wrote: the clean-up is called behind the handler, and what leaves the
    handlers around follows."""
    passed: Set[Block] = set()
    while len(block.predecessors) == 1 and block not in passed:
        passed.add(block)
        before = block.predecessors[0]
        if is_name_cleanup(block.instructions[:3]) and (before, block) in regions.jump_lines:
            return before in regions.leaves and _is_right_behind(before, block, regions)
        if any(i.op not in _LEAVES for i in block.instructions) or before.successors != (block,):
            return False
        block = before
    return False


def _is_right_behind(before: Block, block: Block, regions: Regions) -> bool:
    """Whether a block stands where the handler does that ends with the block before it: that handler is the clause's own. Falling
    off the end of a clause that ends in another one leaves only the other's, and the clean-up is still inside the clause."""
    left: Optional[Context] = regions.context[before.index]
    while left is not None and left.kind != "handler":
        left = left.parent
    return left is not None and left.parent is regions.context[block.index]


_LEAVES = frozenset(("POP_EXCEPT", "POP", "FALL", "JUMP"))


def falls_off(block: Block, regions: Regions) -> bool:
    """Whether a block is the clean-up at the end of the clause: before the handler is left. Nobody sees when a local is deleted."""
    if block not in regions.leaves or block.instructions[-2].op != "POP_EXCEPT":
        return False
    if len(block.instructions) == 5 and any(p in regions.leaves and (p, block) not in regions.jump_lines for p in block.predecessors):
        return False  # its own handler was left right before: that which is left here is one around it
    return is_name_cleanup(block.instructions[-5:-2]) and block.instructions[-4].op != "STORE_LOCAL"
