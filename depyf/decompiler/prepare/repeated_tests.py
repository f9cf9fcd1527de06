"""The test of a `while` that the compiler repeated at the end of the loop: one place again, to which the end jumps.

Such a loop is entered behind its first test, so a `continue`, which goes back to that, would make a second loop around it.
"""

from __future__ import annotations

from typing import Callable, Dict, List, Optional, Tuple

from depyf.bytecode.canonical import Block, Graph, Instruction

from .depths import depth_at, effect
from .ways import Place, is_copy, lead_alike, past_jumps

Split = Callable[[Graph, Block, int], Block]
_GOES_ON = frozenset(("BRANCH", "JUMP", "FALL"))
_DEEPEST = 30  # tests that one condition is made of


def join_repeated_tests(graph: Graph, split: Split) -> None:
    """Lines tell: both tests stand on the same."""
    fronts: Dict[Block, List[Block]] = {}
    for block in list(graph.blocks):
        pair = _repeated(block, fronts)
        whole = _first_tests(*pair) if pair is not None else None
        if whole is not None:
            _join(graph, *whole, split)
            fronts.clear()  # other blocks lead to other places now


def _repeated(block: Block, fronts: Dict[Block, List[Block]]) -> Optional[Tuple[Block, Block]]:
    """A block that ends in a test and goes back, and the block in front of the loop that ends in the same test.

    `fronts` remembers the blocks that lead to a loop from in front of it: many may go back to one loop."""
    if block.terminator.op != "BRANCH":
        return None
    for target in block.successors:
        body = past_jumps((target, 0))[0]
        if body.offset > block.offset:
            continue
        if body not in fronts:
            fronts[body] = [b for b in body.predecessors if b.offset < body.offset]
        for first in fronts[body]:
            if first is not block and _same_test(block, first):
                return block, first
    return None


def _first_tests(block: Block, first: Block) -> Optional[Tuple[Place, Place]]:
    """Where the two conditions begin that these tests belong to; None where a value in front of them is chosen, too."""
    for _ in range(_DEEPEST):
        again, front = _begin(block), _begin(first)
        if again is None or front is None:
            return None
        if again[1] or front[1]:
            return again, front  # something else stands before the test
        pairs = [(b, f) for b in again[0].predecessors for f in front[0].predecessors if b is not f and _on_one_line(b, f)]
        if not pairs:
            return again, front
        found = [pair for pair in pairs if _same_test(*pair)]
        if not found:
            return None
        block, first = found[0]
    return None


def _on_one_line(one: Block, other: Block) -> bool:
    """Whether two blocks end on one line: then they are copies, too, since what leads to the two ends of a loop is not."""
    return one.terminator.line is not None and one.terminator.line == other.terminator.line


def _same_test(one: Block, other: Block) -> bool:
    """Whether two blocks end in copies of one test, which lead to the same, through copies of further tests if need be."""
    again, front = _begin(one), _begin(other)
    if again is None or front is None or one.terminator.op != "BRANCH":
        return False
    work = [(again, front)]
    seen = set(work)
    while work and len(seen) < _DEEPEST:
        mine, theirs = work.pop()
        if not _are_copies(mine, theirs):
            return False
        for target, likewise in zip(mine[0].successors, theirs[0].successors):
            ways = past_jumps((target, 0)), past_jumps((likewise, 0))
            if ways[0] != ways[1] and ways not in seen and not lead_alike(*ways, is_copy):
                seen.add(ways)
                work.append(ways)
    return not work


def _are_copies(mine: Place, theirs: Place) -> bool:
    """Whether two blocks are copies from these places on; which of its ways a branch jumps is another question in each."""
    (one, start), (other, begin) = mine, theirs
    if len(one.successors) != len(other.successors) or one.terminator.op not in _GOES_ON or other.terminator.op not in _GOES_ON:
        return False
    if len(one.successors) == 2 and (one.terminator.line is None or one.terminator.line != other.terminator.line):
        return False
    tests = one.instructions[start:-1], other.instructions[begin:-1]
    if one.handler is not other.handler or one.copy != other.copy or len(tests[0]) != len(tests[1]):
        return False
    return all(map(is_copy, *tests)) and depth_at(one, start) == depth_at(other, begin)


def _begin(block: Block) -> Optional[Place]:
    """Where the test begins that a block ends in: the last place from which on nothing is needed of the stack."""
    needed = 0
    for _ in range(_DEEPEST):
        for position in range(len(block.instructions) - 1, -1, -1):
            popped, pushed = effect(block.instructions[position])
            needed = max(needed - pushed, 0) + popped
            if not needed and popped + pushed:
                return block, position
        if not block.predecessors or block.predecessors[0].terminator.op not in _GOES_ON:
            return None
        block = block.predecessors[0]  # all ways through a condition lead from its beginning
    return None


def _join(graph: Graph, again: Place, front: Place, split: Split) -> None:
    """What stands before the repeated condition goes on to the first one."""
    (block, start), (first, begin) = again, front
    home = split(graph, first, begin) if begin else first
    begins = block.instructions[start]
    for target in set(block.successors):
        target.predecessors = [p for p in target.predecessors if p is not block]
    block.instructions = [*block.instructions[:start], Instruction("JUMP", None, begins.offset, begins.line)]
    block.successors = (home,)
    home.predecessors.append(block)
