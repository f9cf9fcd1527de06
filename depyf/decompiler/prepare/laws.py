"""The law of a prepared graph, checked when DEPYF_CHECK=1: however blocks were cut and joined, the stack is as deep where control
leaves one as where it arrives. Where instructions stand for several (cases, except*, async for), depths are those of before.
"""

from __future__ import annotations

from typing import Optional

from depyf.bytecode.canonical import Block, Graph
from depyf.errors import DecompilationError

from .depths import depth_at

_STAND_FOR_SEVERAL = frozenset(("CASE", "SUBJECT", "LEAVE_STAR", "EG_MATCH", "ANEXT", "AITER"))


def check_depths(graph: Graph) -> None:
    """Raises DecompilationError, naming the jump, where two depths differ."""
    ops = {instruction.op for block in graph.blocks for instruction in block.instructions}
    for block in graph.blocks if ops.isdisjoint(_STAND_FOR_SEVERAL) else ():
        left = _depth_left(block)
        for target in block.successors if left is not None else ():
            if target.depth != left:
                raise DecompilationError(
                    f"the stack is {left} deep before a jump and {target.depth} behind it",
                    code_name=graph.code.co_name,
                    offset=block.terminator.offset,
                )


def _depth_left(block: Block) -> Optional[int]:
    """How deep the stack is behind a block; None where that depends on the way."""
    if block.terminator.op not in ("JUMP", "FALL", "BRANCH"):
        return None
    return depth_at(block, len(block.instructions) - 1) - (block.terminator.op == "BRANCH")
