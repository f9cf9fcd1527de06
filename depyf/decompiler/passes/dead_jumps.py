"""What jumps and returns tell that nothing reaches (before 3.10): an `else` stood behind a branch that leaves.

The compiler ends the body of an `if` that has an `else` with a jump past it, and up to 3.9 it drops that jump only behind a
`return`. So where the body ends in `raise`, `break` or `continue`, a jump behind it tells that all up to its target stood under an
`else`, and where there is none, there was no `else`. Nothing has to be concluded from lines there.

A function ends with a `return` of the compiler's own, unless its last statement is one: so where that is there though nothing
reaches it, the last `return` of the text stood under an `else`. The meaning is the same either way.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Dict, List, Optional

from depyf.bytecode.canonical import Block, Graph
from depyf.bytecode.codes import is_function, keeps_dead_jumps

from ..structuring.walk import all_lists, child_lists, falls_through
from ..tree import Break, Continue, If, Raise, Return, Stmt

_BEHIND_ALL = 1 << 62
_STEP = 2  # bytes from one instruction to the next


class DeadJumps:
    """The jumps of one graph that nothing reaches and that stand right behind what is reached, with their targets."""

    def __init__(self, graph: Graph) -> None:
        self.targets: Dict[int, int] = {}
        self.are_kept = keeps_dead_jumps()
        self.graph = graph
        if self.are_kept and graph.unreached:
            alive = {i.offset for block in graph.blocks for i in block.instructions}
            dead = {i.offset for block in graph.unreached for i in block.instructions} - alive
            for block in graph.unreached:
                jump = block.terminator
                behind_dead_code = jump.offset - _STEP in dead  # then it tells how that was written
                if len(block.instructions) == 1 and jump.op == "JUMP" and jump.offset in dead and not behind_dead_code:
                    self.targets[jump.offset] = block.successors[0].offset
        self.offsets = sorted(self.targets)

    def restore_elses(self, statements: List[Stmt]) -> None:
        if not self.offsets:
            return
        for current in all_lists(statements):
            for index in range(len(current) - 2, -1, -1):
                branch = current[index]
                if isinstance(branch, If) and not branch.orelse:
                    self._take_else(branch, current, index)

    def rule_out_else(self, branch: Stmt) -> bool:
        """Whether an `if` had no `else`, since its jump would be there. Those that were are written already."""
        return self.are_kept and isinstance(branch, If) and _ends_without_return(branch.body)

    def ends_elsewhere(self, last: Stmt) -> bool:
        """Whether a function does not end with the return that its text ends with, but with one of the compiler's own."""
        return isinstance(last, Return) and last.offset < self._own_end() < _BEHIND_ALL

    def _own_end(self) -> int:
        """Where the compiler's own return begins."""
        if not self.are_kept or not is_function(self.graph.code):
            return _BEHIND_ALL
        last = max(self.graph.blocks + self.graph.unreached, key=lambda block: block.instructions[-1].offset)
        return last.terminator.offset - _STEP if _returns_none(last) else _BEHIND_ALL

    def ends_with(self, last: Stmt) -> bool:
        """Whether a function ends with this return."""
        return self.are_kept and isinstance(last, Return) and not self.ends_elsewhere(last)

    def _take_else(self, branch: If, current: List[Stmt], index: int) -> None:
        end = self._end_of_else(branch, current[index + 1])
        if end is None or falls_through(branch.body):
            return
        last = index + 1
        while last < len(current) and 0 <= current[last].offset < end:
            last += 1
        branch.orelse = current[index + 1 : last]
        del current[index + 1 : last]

    def _end_of_else(self, branch: If, follower: Stmt) -> Optional[int]:
        """Where the jump between the body of a branch and what follows it leads; behind everything if it is back, to a loop around."""
        position = bisect_left(self.offsets, follower.offset) - 1
        if position < 0 or self.offsets[position] <= branch.offset:
            return None
        jump = self.offsets[position]
        target = self.targets[jump]
        if last_offset(branch.body) > jump or branch.offset <= target <= jump:
            return None  # it stands in the body, or ends a loop there
        return target if target > jump else _BEHIND_ALL



def _returns_none(block: Block) -> bool:
    return [(i.op, i.arg) for i in block.instructions[-2:]] == [("CONST", None), ("RETURN", None)]


def last_offset(body: List[Stmt]) -> int:
    """The last offset that a statement at the end of `body` has, or one at the end of a list in it."""
    found, work = -1, [body]
    while work:
        current = work.pop()
        if current:
            found = max(found, current[-1].offset)
            work += child_lists(current[-1])
    return found


def _ends_without_return(body: List[Stmt]) -> bool:
    """Whether a body ends in an instruction that the compiler drops nothing behind."""
    last = body[-1] if body else None
    while isinstance(last, If) and last.orelse:
        last = last.orelse[-1]
    return isinstance(last, (Raise, Break, Continue))
