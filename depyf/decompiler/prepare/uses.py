"""What uses a value that several ways lead to, wherever the compiler repeated it: one place again, whatever its line.

An operand from before a branch is used behind the place where the ways of the branch meet, and nowhere else. So are values that are
stored, tested or dropped, as far as conditional expressions can say it. Two places are the same if all that follows is.
"""

from __future__ import annotations

from types import CodeType
from typing import TYPE_CHECKING, Dict, Hashable, List, Optional, Set, Tuple

from depyf.bytecode.canonical import Block, Graph, Instruction
from depyf.bytecode.dominators import Dominators

from .depths import effect
from .waiting import Slots, step
from .ways import jump_from

if TYPE_CHECKING:
    from .joining import Split
    from .regions import Regions

_NO_VALUES = frozenset(("NULL", "LOAD_CLOSURE", "BUILTIN"))


class _Places:
    """A number for each place of a graph, the same for places from which all that happens is the same."""

    def __init__(self, regions: Regions) -> None:
        self.regions = regions
        self.known: Dict[Hashable, int] = {}
        self.lengths: List[int] = []
        self.begins: Dict[Block, int] = {}  # the number of the first instruction

    def number(self, key: Hashable, length: int) -> int:
        found = self.known.setdefault(key, len(self.lengths))
        if found == len(self.lengths):
            self.lengths.append(length)
        return found

    def of_block(self, block: Block) -> List[int]:
        """From the last instruction on; what follows is known, unless control goes back there."""
        ways = [self.begins.get(target, -1 - target.index) for target in block.successors]
        leaves = block in self.regions.leaves
        result: List[int] = []
        if block.terminator.op in ("FALL", "JUMP") and not leaves and ways[0] >= 0:
            result.append(ways[0])
        else:
            key = (id(block.handler), block.copy, leaves, block.terminator.op, repr(block.terminator.arg), *ways)
            result.append(self.number(key, 1 + max([self.lengths[way] for way in ways if way >= 0], default=0)))
        for instruction in block.instructions[-2::-1]:
            rest = result[-1]
            result.append(self.number((id(block.handler), block.copy, _key(instruction), rest), 1 + self.lengths[rest]))
        self.begins[block] = result[-1]
        return result[::-1]


def _key(instruction: Instruction) -> Hashable:
    if isinstance(instruction.arg, CodeType):
        return instruction.op, id(instruction.arg)
    return instruction.op, type(instruction.arg), repr(instruction.arg)


def join_uses(
    graph: Graph, regions: Regions, found: Dominators, slots: Dict[Block, Slots], wanted: Set[Block], split: Split
) -> None:
    """Joins those that values of the blocks `wanted` lead to; the longest first. `slots`: see `waiting_slots`."""
    places = _Places(regions)
    caught = {block.handler.target for block in graph.blocks if block.handler is not None}
    groups: Dict[Tuple[int, int, int, int], List[Tuple[Block, int]]] = {}
    for block in reversed(found.order):
        numbers = places.of_block(block)
        for position, depth, left in _uses(block, slots[block]):
            begun = _origin(block, left, found)
            origin = begun.index if left < depth - 1 else _line_of_operand(block.instructions[position])
            clause = _clause(begun, found, caught, regions.leaves)
            groups.setdefault((numbers[position], depth, origin, clause), []).append((block, position))
    joined = _Joined(graph, regions.leaves, split)
    for key in sorted(groups, key=lambda one: -places.lengths[one[0]]):
        if len(groups[key]) > 1 and any(block in wanted for block, _ in groups[key]):
            joined.join(groups[key])


def _line_of_operand(instruction: Instruction) -> int:
    """Below 0: where an operand is evaluated that is used together with a value before it, its line tells one use from another."""
    return -1 if effect(instruction)[0] else -2 - (instruction.line or 0)


def _origin(block: Block, left: int, found: Dominators) -> Block:
    """The block in which what lies above `left` was begun: uses of operands of different statements are never joined."""
    above: Optional[Block] = block
    while above is not None and above.depth > left:
        block, above = above, found.immediate[above.index]
    return block if above is None else above


def _clause(begun: Block, found: Dominators, caught: Set[Block], leaves: Set[Block]) -> int:
    """Where the handler begins, or ended, in which a value was begun: no expression has ways in two of them. The name of a clause
    is forgotten in the same way at the end of each, and is no use that they share."""
    above: Optional[Block] = begun
    while above is not None and above not in caught:
        above = found.immediate[above.index]
        if above in leaves:
            break
    return -1 if above is None else above.index


def _uses(block: Block, slots: Slots) -> List[Tuple[int, int, int]]:
    """Where a block goes on with a value, alone or together with what was there before; how deep the stack is there, and how much
    of it is left when the value is taken."""
    found: List[Tuple[int, int, int]] = []
    depth = lowest = block.depth
    stack = list(slots)
    for position, instruction in enumerate(block.instructions):
        needed, pushed = effect(instruction)
        if depth <= lowest + 1 and stack and stack[-1] and (not position or _is_value(block.instructions[position - 1])):
            left = depth - needed if needed else _left_by_use(block, position, depth)
            taken = instruction.op not in ("COPY", "SWAP", "RERAISE") and not _asserts(block, instruction)
            if left is not None and left <= lowest and taken:
                found.append((position, depth, left))
        lowest = min(lowest, depth - needed)
        depth += pushed - needed
        step(instruction, stack)
    return found


def _asserts(block: Block, instruction: Instruction) -> bool:
    """Whether an exception is that of an `assert`, which no other statement raises."""
    return instruction.op == "RAISE" and any(i.op == "BUILTIN" and i.arg == "AssertionError" for i in block.instructions)


def _is_value(made: Instruction) -> bool:
    return made.op not in _NO_VALUES and not isinstance(made.arg, CodeType)


def _left_by_use(block: Block, position: int, top: int) -> Optional[int]:
    """How much of the stack is left when the value on `top` is taken, with others that are evaluated first."""
    depth = top
    for instruction in block.instructions[position:]:
        needed, pushed = effect(instruction)
        if depth - needed < top:
            return None if instruction.op in ("COPY", "SWAP", "RERAISE") else depth - needed
        depth += pushed - needed
    return None


class _Joined:
    """Blocks that end in a jump to where another goes on, and blocks that were cut there."""

    def __init__(self, graph: Graph, leaves: Set[Block], split: Split) -> None:
        self.graph = graph
        self.leaves = leaves
        self.split = split
        self.ends: Dict[Block, int] = {}
        self.rest: Dict[Block, Tuple[int, Block]] = {}

    def join(self, places: List[Tuple[Block, int]]) -> None:
        there = [place for place in (self.now(*one) for one in places) if place[1] < self.ends.get(place[0], place[1] + 1)]
        if len(there) < 2:
            return
        last, start = max(there, key=lambda place: place[0].terminator.offset)
        home = last
        if start:
            home = self.split(self.graph, last, start)
            self.rest[last] = start, home
        for block, start in there:
            if block is not last:
                self.lead(block, start, home)

    def now(self, block: Block, position: int) -> Tuple[Block, int]:
        """Where an instruction stands by now."""
        while block in self.rest and position >= self.rest[block][0]:
            start, block = self.rest[block]
            position -= start
        return block, position

    def lead(self, block: Block, start: int, home: Block) -> None:
        jump_from(block, start, home)
        self.ends[block] = start
        self.leaves.discard(block)
