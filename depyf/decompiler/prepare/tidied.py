"""The graph without blocks that are no places of their own: those that only jump on, that nothing reaches, or that only go on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List

from depyf.bytecode.canonical import Block, Graph

from .contexts import renumber

if TYPE_CHECKING:
    from .regions import Regions


def bypass_jumps(graph: Graph, regions: Regions) -> None:
    """A block that only jumps on is no place of its own."""
    final: Dict[Block, Block] = {}
    for block in graph.blocks:
        if len(block.instructions) > 1:
            continue
        seen: List[Block] = []
        target = block
        while (
            len(target.instructions) == 1
            and target not in final
            and target.terminator.op in ("JUMP", "FALL")
            and target not in regions.leaves
            and target not in seen
        ):
            seen.append(target)
            target = target.successors[0]
        target = final.get(target, target)
        for one in seen:
            final[one] = target
    if not final:
        return
    for block in graph.blocks:
        if [s for s in block.successors if final.get(s, s) is not s]:
            for old in dict.fromkeys(block.successors):
                old.predecessors = [p for p in old.predecessors if p is not block]
                if old.terminator.op == "JUMP" and old.terminator.line is not None and old in final:
                    way = block, final[old]
                    if regions.jump_lines.get(way) in (None, block.terminator.line):  # of two jumps, that which was written
                        regions.jump_lines[way] = old.terminator.line
                if final.get(old, old).offset < old.offset:
                    regions.loop_ends.setdefault(final[old], []).append((old.offset, block))
            block.successors = tuple(final.get(s, s) for s in block.successors)
            for new in block.successors:
                new.predecessors.append(block)
    begins = final.get(graph.blocks[0], graph.blocks[0])
    graph.blocks.remove(begins)
    graph.blocks.insert(0, begins)  # what only jumps on there is no place to come back to


def prune(graph: Graph) -> None:
    """Drops what only the handlers that were seen through could reach."""
    seen = graph.reached()
    graph.blocks = [b for b in graph.blocks if b in seen]
    for block in graph.blocks:
        block.predecessors = [p for p in block.predecessors if p in seen]
    renumber(graph)


def merge_straight_lines(graph: Graph, regions: Regions) -> None:
    """Blocks that only follow one another are one."""
    targets = {b.handler.target for b in graph.blocks if b.handler is not None}
    gone: Dict[Block, Block] = {}  # into the block that they were joined with
    for block in graph.blocks:
        if block in gone:
            continue
        # a jump leads out of a loop or over an else: what it reaches stands elsewhere in the source
        while block.instructions[-1].op == "FALL" and block not in regions.leaves:
            follower = block.successors[0]
            if (
                follower.instructions[0].op in ("RERAISE", "NEXT")
                or follower is block
                or len(follower.predecessors) != 1
                or follower in targets
                or follower.handler is not block.handler
                or follower is graph.blocks[0]
            ):
                break
            block.instructions = block.instructions[:-1] + follower.instructions
            block.successors = follower.successors
            gone[follower] = block
            for successor in follower.successors:
                if (follower, successor) in regions.jump_lines:
                    regions.jump_lines[(block, successor)] = regions.jump_lines[(follower, successor)]
            if follower in regions.leaves:
                regions.leaves.discard(follower)
                regions.leaves.add(block)
    if gone:
        graph.blocks = [b for b in graph.blocks if b not in gone]
        for block in graph.blocks:
            if not gone.keys().isdisjoint(block.predecessors):
                block.predecessors = [_joined(gone, p) for p in block.predecessors]
        renumber(graph)


def _joined(gone: Dict[Block, Block], block: Block) -> Block:
    while block in gone:
        block = gone[block]
    return block
