"""The test of a `while` that the compiler repeated at the end of the loop: one place again, to which the end jumps.

Such a loop is entered behind its first test, so a `continue`, which goes back to that, would make a second loop around it.
"""

from __future__ import annotations

from typing import Callable, Dict, Iterator, List, Optional, Set, Tuple

from depyf.bytecode.canonical import Block, Graph, Instruction

from .depths import depth_at, effect, lowest_depth
from .ways import CANNOT_RAISE, Place, is_copy, jump_from, past_jumps

Split = Callable[[Graph, Block, int], Block]
_MOST = 200  # blocks that one condition is made of


def join_repeated_tests(graph: Graph, split: Split) -> bool:
    """Lines tell: both tests stand on the same. Returns whether there was one."""
    fronts: Dict[Block, List[Block]] = {}
    found = False
    if not any(s.instructions[0].offset <= b.instructions[0].offset for b in graph.blocks for s in b.successors):
        return False  # there is no loop
    for block in list(graph.blocks):
        for first, body in _in_front(block, fronts):
            copies = _Copies(body.depth, body.instructions[0].line)
            whole = copies.first_tests(block, first)
            if whole is not None:
                _join(graph, *whole, split)
                fronts.clear()  # other blocks lead to other places now
                found = True
                break
    return found


def _in_front(block: Block, fronts: Dict[Block, List[Block]]) -> Iterator[Tuple[Block, Block]]:
    """For a block that ends in a test and goes back to a loop: the blocks in front of that loop which end in a test, too, and the loop.

    `fronts` remembers the blocks that lead to a loop from in front of it: many may go back to one loop."""
    terminator = block.instructions[-1]
    if terminator.op != "BRANCH" or terminator.line is None:
        return
    here = block.instructions[0].offset
    for target in block.successors:
        body = past_jumps((target, 0))[0] if target.instructions[0].op in _JUMPS else target
        if body.instructions[0].offset > here:
            continue
        if body not in fronts:
            fronts[body] = [b for b in _ways_into(body) if b.offset < body.offset and b.terminator.op == "BRANCH"]
        for first in fronts[body]:
            if first is not block and _on_one_line(block, first):
                yield first, body


def _ways_into(body: Block) -> List[Block]:
    """The blocks from which control comes, seen through those that only jump."""
    found: Dict[Block, None] = {}
    work, passed = [body], {body}
    while work:
        for block in work.pop().predecessors:
            if block.instructions[0].op not in _JUMPS:
                found[block] = None
            elif block not in passed:
                passed.add(block)
                work.append(block)
    return list(found)


def _on_one_line(one: Block, other: Block) -> bool:
    return one.terminator.line is not None and one.terminator.line == other.terminator.line


class _Copies:
    """A walk along a test and, beside it, along what may be a copy of it: from its last branch to its beginning.

    `ground` is how much is on the stack where the loop begins: what lies below is the same for all of the loop. `begins` is the line
    that its body begins on: what comes later may be copied, too, but is no part of the condition."""

    def __init__(self, ground: int, begins: Optional[int]) -> None:
        self.ground = ground
        self.begins = begins
        self.seen: Set[Tuple[Place, Place]] = set()
        self.lowest = 1 << 30  # how deep into the stack what was walked has reached

    def first_tests(self, block: Block, first: Block) -> Optional[Tuple[Place, Place]]:
        """Where the two conditions begin that these tests end; None if they are not copies, or do not lead to the same."""
        found: Optional[Tuple[Place, Place]] = None
        while len(self.seen) < _MOST:
            if not self._lead_to_same(block, first):
                return found
            alike = _common_end(block, first)
            length = self._whole_values(block, alike)
            only_jumps = length == 1 and block.terminator.op in _JUMPS  # no part of the condition, unless more comes before
            if length and not only_jumps:
                found = (block, len(block.instructions) - length), (first, len(first.instructions) - length)
            if alike < max(len(block.instructions), len(first.instructions)):
                return found  # something else stands before the test
            self.seen.add(((block, 0), (first, 0)))
            self.lowest = min(self.lowest, lowest_depth(block, len(block.instructions)))
            before = [(b, f) for b in _ways_into(block) for f in _ways_into(first) if self._may_be_copies(b, f)]
            if not before:
                return found
            block, first = before[0]
        return None

    def _may_be_copies(self, one: Block, other: Block) -> bool:
        """Blocks that end on one line: what leads to the two ends of a loop does not."""
        if one is other or ((one, 0), (other, 0)) in self.seen:
            return False
        if self.begins is not None and (one.terminator.line or 0) > self.begins:
            return False
        return _on_one_line(one, other) and _common_end(one, other) > 0

    def _lead_to_same(self, block: Block, first: Block) -> bool:
        """Whether two blocks that end alike go on alike, on every way, until their ways meet."""
        if len(block.successors) != len(first.successors) or not _common_end(block, first):
            return False
        work: List[Tuple[Place, Place]] = [((a, 0), (b, 0)) for a, b in zip(block.successors, first.successors)]
        while work:
            mine, theirs = past_jumps(work[-1][0]), past_jumps(work.pop()[1])
            if mine == theirs or (mine, theirs) in self.seen:
                continue
            self.seen.add((mine, theirs))
            if len(self.seen) > _MOST or depth_at(*mine) != depth_at(*theirs) or not self._straight_on(mine, theirs, work):
                return False
        return True

    def _straight_on(self, mine: Place, theirs: Place, work: List[Tuple[Place, Place]]) -> bool:
        """Along two ways up to where control parts or ends, or where they meet; `work` gets what is behind that."""
        depth = depth_at(*mine)
        while mine != theirs:
            one, other = mine[0].instructions[mine[1]], theirs[0].instructions[theirs[1]]
            if not _is_copy(one, other) or one.op not in CANNOT_RAISE and not _protected_alike(mine[0], theirs[0]):
                return False
            needed, pushed = effect(one)
            self.lowest = min(self.lowest, depth - needed)
            depth += pushed - needed
            if one is mine[0].terminator or other is theirs[0].terminator:
                work.extend(((a, 0), (b, 0)) for a, b in zip(mine[0].successors, theirs[0].successors))
                return one is mine[0].terminator and other is theirs[0].terminator
            mine, theirs = past_jumps((mine[0], mine[1] + 1)), past_jumps((theirs[0], theirs[1] + 1))
        return True

    def _whole_values(self, block: Block, length: int) -> int:
        """How many of the last instructions make all that they, and what was walked behind them, take from the stack; what is
        behind the loop may take what was there before, as the end of a `with` does."""
        lowest, size = 1 << 30, len(block.instructions)
        for taken in range(1, length + 1):
            depth = depth_at(block, size - taken)
            lowest = min(lowest, depth - effect(block.instructions[size - taken])[0])
            if lowest >= depth and (self.lowest >= depth or depth == self.ground):
                return taken
        return 0


def _protected_alike(one: Block, other: Block) -> bool:
    return one.handler is other.handler and one.copy == other.copy


def _common_end(one: Block, other: Block) -> int:
    """How many of the last instructions are copies, line by line."""
    if not _protected_alike(one, other):
        return 0
    length = 0
    for mine, theirs in zip(reversed(one.instructions), reversed(other.instructions)):
        if not _is_copy(mine, theirs):
            break
        length += 1
    return length


_JUMPS = ("JUMP", "FALL")


def _is_copy(one: Instruction, other: Instruction) -> bool:
    """Which of its ways a branch jumps is another question in each copy, and what follows at once in one is jumped to in another."""
    if one.op == "BRANCH":
        return other.op == "BRANCH" and one.line == other.line
    return is_copy(one, other) or one.op in _JUMPS and other.op in _JUMPS


def _join(graph: Graph, copy: Place, first: Place, split: Split) -> None:
    """What stands before the test in `copy` goes on to that in `first`."""
    (block, start), (front, begin) = copy, first
    home = split(graph, front, begin) if begin else front
    jump_from(block, start, home)
