"""The test of a `while` that the compiler repeated at the end of the loop: one place again, to which the end jumps.

Such a loop is entered behind its first test, so a `continue`, which goes back to that, would make a second loop around it.
"""

from __future__ import annotations

from typing import Callable, Dict, List, Optional, Tuple

from depyf.bytecode.canonical import Block, Graph, Instruction

from .depths import depth_at, effect
from .ways import Place, is_copy, lead_alike, past_jumps

Split = Callable[[Graph, Block, int], Block]
_DROPS = frozenset(("POP", "SWAP", "JUMP", "FALL"))
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


def _first_tests(block: Block, first: Block) -> Optional[Tuple[Block, Block]]:
    """The first tests of the two conditions that these tests belong to; None where a value in front of them is chosen, too."""
    for _ in range(_DEEPEST):
        if _ends_chain(block) or _ends_chain(first):
            return None
        if _start(block) or _start(first):
            return block, first  # something else stands before the test
        before = [(b, f) for b in block.predecessors for f in first.predecessors if b is not f and _on_one_line(b, f)]
        if not before:
            return block, first
        found = [pair for pair in before if _same_test(*pair)]
        if not found:
            return None
        block, first = found[0]
    return None


def _ends_chain(block: Block) -> bool:
    """Whether a test stands behind a chain of comparisons, whose last operand is dropped first: both are of one condition."""
    if block.instructions[0].op in ("POP", "SWAP"):
        return True
    return any(all(i.op in _DROPS for i in before.instructions) and len(before.instructions) > 1 for before in block.predecessors)


def _on_one_line(one: Block, other: Block) -> bool:
    """Whether two blocks end on one line: then they are copies, too, since what leads to the two ends of a loop is not."""
    return one.terminator.line is not None and one.terminator.line == other.terminator.line


def _same_test(one: Block, other: Block) -> bool:
    """Whether two blocks end in copies of one test, which lead to the same, through copies of further tests if need be."""
    start, begin = _start(one), _start(other)
    if start is None or begin is None:
        return False
    work: List[Tuple[Place, Place]] = [((one, start), (other, begin))]
    for _ in range(_DEEPEST):
        if not work:
            return True
        (mine, start), (theirs, begin) = work.pop()
        tests = mine.instructions[start:], theirs.instructions[begin:]
        if mine.terminator.op != "BRANCH" or mine.terminator.line is None:
            return False
        if mine.handler is not theirs.handler or mine.copy != theirs.copy or len(tests[0]) != len(tests[1]):
            return False
        if not all(map(_is_copy, *tests)) or depth_at(mine, start) != depth_at(theirs, begin):
            return False
        for target, likewise in zip(mine.successors, theirs.successors):
            ways = past_jumps((target, 0)), past_jumps((likewise, 0))
            if ways[0] != ways[1] and not lead_alike(*ways, is_copy):
                work.append(ways)
    return False


def _is_copy(one: Instruction, other: Instruction) -> bool:
    """Which of its ways a branch jumps is another question in each copy."""
    if one.op == "BRANCH":
        return other.op == "BRANCH" and one.line == other.line
    return is_copy(one, other)


def _start(block: Block) -> Optional[int]:
    """Where the test begins that a block ends in: the shortest end that needs nothing of the stack. None: in another block."""
    needed = 0
    for position in range(len(block.instructions) - 1, -1, -1):
        popped, pushed = effect(block.instructions[position])
        needed = max(needed - pushed, 0) + popped
        if not needed:
            return position
    return None


def _join(graph: Graph, block: Block, first: Block, split: Split) -> None:
    """What stands before the test of `block` goes on to that of `first`."""
    start = _start(first)
    home = split(graph, first, start) if start else first
    start = _start(block) or 0
    begins = block.instructions[start]
    for target in set(block.successors):
        target.predecessors = [p for p in target.predecessors if p is not block]
    block.instructions = [*block.instructions[:start], Instruction("JUMP", None, begins.offset, begins.line)]
    block.successors = (home,)
    home.predecessors.append(block)
