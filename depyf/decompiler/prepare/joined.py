"""All ends of straight code that are the same become one place, whatever their lines say: for code that has no text otherwise.

The compiler repeats what follows a loop, a `with` or a `try` at every way out of it, and where lines do not show that these are
copies of one statement, each looks like a statement of its own, for which a module or class body has no place. What two
ways do alike up to where they meet, or up to the end, is done once: that changes nothing but which of two equal places is meant.
"""

from __future__ import annotations

from typing import Dict, Hashable, List, Set

from depyf.bytecode.canonical import Block, Graph, Instruction

from .depths import depth_at, lowest_depth
from .joining import Split, join_places


def join_all_ends(graph: Graph, leaves: Set[Block], split: Split) -> bool:
    """Until nothing is the same any more, the longest first; whether anything was."""
    found = False
    while _join_longest(graph, leaves, split):
        found = True
    return found


def _join_longest(graph: Graph, leaves: Set[Block], split: Split) -> bool:
    targets = {block.handler.target for block in graph.blocks if block.handler is not None}
    if any(_is_starred(target) for target in targets):
        return False  # every clause of an except* is left in its own way
    blocks = [b for b in graph.blocks if b.predecessors and len(b.successors) < 2 and b not in leaves and b not in targets]
    for length in range(min(max(map(_length, blocks), default=0), _LONGEST), 1, -1):
        groups: Dict[Hashable, List[Block]] = {}
        for block in blocks:
            if length <= _length(block):
                groups.setdefault(_key_of_end(block, length), []).append(block)
        same = [one for one in groups.values() if len(one) > 1 and _begins_statement(one, length)]
        for copies in same:
            join_places(graph, [(block, _length(block) - length) for block in copies], split)
        if same:
            return True
    return False


def _is_starred(target: Block) -> bool:
    return any(i.op == "EXC_MATCH" and i.arg == "star" for i in target.instructions)


_LONGEST = 40  # instructions; the compiler repeats only what is short


def _length(block: Block) -> int:
    return len(block.instructions)


def _key_of_end(block: Block, length: int) -> Hashable:
    end = tuple(_key_of(instruction) for instruction in block.instructions[-length:])
    return id(block.handler), block.copy, block.successors, end


def _begins_statement(blocks: List[Block], length: int) -> bool:
    """Whether nothing that the last `length` instructions use was evaluated right before them."""
    starts = [(block, len(block.instructions) - length) for block in blocks]
    depths = {depth_at(block, start) for block, start in starts}
    return len(depths) == 1 and all(lowest_depth(block, start) in depths for block, start in starts)


def _key_of(instruction: Instruction) -> Hashable:
    op, argument = instruction.op, instruction.arg
    return "JUMP" if op == "FALL" else op, type(argument), repr(argument)
