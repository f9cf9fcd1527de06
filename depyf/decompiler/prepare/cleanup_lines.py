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
        self.lines: Dict[int, FrozenSet[int]] = {}  # the innermost body around a line: the one that has the fewest
        for lines in sorted({_lines_from(target) for target in targets}, key=len)[::-1]:
            self.lines.update(dict.fromkeys(lines, lines))
        self.copies: Dict[FrozenSet[int], Dict[Block, Block]] = {}
        self.covered: Dict[Block, List[Block]] = {}  # where a handler begins -> the blocks it covers
        for block in graph.blocks if self.lines else ():
            if block.handler is not None:
                self.covered.setdefault(block.handler.target, []).append(block)

    def copy_of(self, block: Block) -> Optional[Block]:
        """The first block of the copy that a block stands in; None if its last line is of no such body."""
        line = block.terminator.line
        lines = self.lines.get(line) if line is not None else None
        if lines is None:
            return None
        known = self.copies.setdefault(lines, {})
        if block not in known:
            together = self._hanging_together(block, lines)
            known.update(dict.fromkeys(together, min(together, key=lambda one: one.index)))
        return known[block]

    def _hanging_together(self, block: Block, lines: FrozenSet[int]) -> Set[Block]:
        """A block, and all that it hangs together with on `lines` alone."""
        found, work = {block}, [block] if _stands_on(block, lines) else []
        while work:
            one = work.pop()
            handled = [one.handler.target] if one.handler is not None else []
            for other in (*one.successors, *one.predecessors, *handled, *self.covered.get(one, ())):
                if other not in found and _stands_on(other, lines):
                    found.add(other)
                    work.append(other)
        return found


def _lines_from(target: Block) -> FrozenSet[int]:
    """The lines of the code that a handler runs before it raises again."""
    lines: Set[int] = set()
    seen, work = {target}, [target]
    while work:
        block = work.pop()
        end = _drops_exception(block, target.depth)
        lines.update(i.line for i in block.instructions[:end] if i.line is not None)
        if end is not None:
            continue  # what follows is no part of it
        inner = [block.handler.target] if block.handler not in (None, target.handler) else []
        for following in (*block.successors, *inner):
            if following not in seen:
                seen.add(following)
                work.append(following)
    return frozenset(lines)


def _drops_exception(block: Block, depth: int) -> Optional[int]:
    """Behind which instruction of a block the exception is gone that a handler began with at `depth`."""
    ends = (n + 1 for n, i in enumerate(block.instructions) if i.op == "POP_EXCEPT")
    return next((end for end in ends if depth_at(block, end) <= depth), None)


def _stands_on(block: Block, lines: FrozenSet[int]) -> bool:
    """Whether all of a block is on these lines, or on none at all."""
    return all(i.line is None or i.line in lines for i in block.instructions)
