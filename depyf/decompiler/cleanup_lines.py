"""Which copy of a `finally` body a block belongs to, as far as lines tell: before any copy is known as one.

What a handler runs before it raises again has its lines; the copies of it on other ways out have the same, and hang together
among themselves only.
"""

from __future__ import annotations

from typing import Dict, FrozenSet, List, Optional, Set

from depyf.bytecode.canonical import Block, Graph

from .depths import depth_at


class Cleanups:
    def __init__(self, graph: Graph, targets: List[Block]) -> None:
        """`targets`: where the handlers of `finally` and `with` begin."""
        found = {_lines_from(target) for target in targets}
        self.lines = sorted(found, key=len)  # what stands inside another comes first
        self.copies: Dict[FrozenSet[int], Dict[Block, Block]] = {}
        self.graph = graph

    def copy_of(self, block: Block) -> Optional[Block]:
        """The first block of the copy that a block stands in; None if its last line is of no such body."""
        line = block.terminator.line
        lines = next((some for some in self.lines if line in some), None)
        if lines is None:
            return None
        if lines not in self.copies:
            self.copies[lines] = _hanging_together(self.graph, lines)
        return self.copies[lines].get(block, block)


def _lines_from(target: Block) -> FrozenSet[int]:
    """The lines of the code that a handler runs before it raises again."""
    lines: Set[int] = set()
    seen, work = {target}, [target]
    while work:
        block = work.pop()
        lines.update(i.line for i in block.instructions if i.line is not None)
        if any(i.op == "POP_EXCEPT" and depth_at(block, n + 1) <= target.depth for n, i in enumerate(block.instructions)):
            continue  # the exception is dropped
        inner = [block.handler.target] if block.handler not in (None, target.handler) else []
        for following in (*block.successors, *inner):
            if following not in seen:
                seen.add(following)
                work.append(following)
    return frozenset(lines)


def _hanging_together(graph: Graph, lines: FrozenSet[int]) -> Dict[Block, Block]:
    """For each block on `lines` alone the first of those that it hangs together with."""
    inside = {b for b in graph.blocks if all(i.line is None or i.line in lines for i in b.instructions)}
    around: Dict[Block, List[Block]] = {block: [] for block in inside}
    for block in inside:
        handled = [block.handler.target] if block.handler is not None else []
        for other in (*block.successors, *handled):
            if other in inside:
                around[block].append(other)
                around[other].append(block)
    first: Dict[Block, Block] = {}
    for block in graph.blocks:
        work = [block] if block in inside and block not in first else []
        while work:
            one = work.pop()
            if one not in first:
                first[one] = block
                work.extend(around[one])
    return first
