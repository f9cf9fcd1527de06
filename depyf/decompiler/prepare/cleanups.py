"""Where control leaves a `try` with a `finally`, or a `with`: the compiler puts a copy of the clean-up on every such way.

The copy stands where the statement stands, whatever it is followed by: so do the blocks that it consists of.
"""

from __future__ import annotations

from typing import List, Optional, Set, Tuple

from depyf.bytecode.canonical import Block, Handler
from depyf.bytecode.dominators import Dominators

from .contexts import Context, catches
from .regions import Regions


def left_cleanup(block: Block, regions: Regions, found: Dominators) -> Optional[Handler]:
    """The innermost `finally` or `with` that is left on the way to a block: the block begins with a copy of it.

    Of `finally: pass` nothing is copied, so the way back to a loop's header may leave it directly."""
    if not block.predecessors or found.dominates(block, block.predecessors[0]):
        return None
    here = regions.context[block.index]
    context: Optional[Context] = regions.context[block.predecessors[0].index]
    while context is not None and context is not here and context.depth > here.depth:
        if context.kind == "body" and context.handler is not None and not catches(context.handler):
            return context.handler
        context = context.parent
    return None


def blocks_of_copy(block: Block, handler: Handler, regions: Regions, found: Dominators) -> Set[Block]:
    """The blocks of the copy that begins with `block`, and what follows it on no other way: walked beside the handler."""
    copied: Set[Block] = {block}
    if block.instructions[0].op == "CLEANUP":
        return copied  # all of the copy has become this
    work: List[Tuple[Block, Block]] = [(handler.target, block)]
    seen = {(handler.target, block)}
    while work:
        original, copy = work.pop()
        if original.terminator.op != copy.terminator.op or len(original.successors) != len(copy.successors):
            continue
        pairs = list(zip(original.successors, copy.successors))
        if original in regions.opens and copy in regions.opens:
            pairs.append((regions.opens[original].target, regions.opens[copy].target))
        for pair in pairs:
            if pair not in seen and found.dominates(block, pair[1]):
                seen.add(pair)
                copied.add(pair[1])
                work.append(pair)
    return copied
