"""Shared ways through an expression become ways of their own: `x < (a if b or True else c)` has two ways to one load of `a`.

Any choice between values can be written as nested conditional expressions, if what several ways share is repeated. That is for
bodies whose names are seen, where a value cannot be kept under a name of ours: only the expressions that would need one are expanded.
Conditional expressions whose ways meet with one value are as they were written, and stay.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Callable, Dict, FrozenSet, List, NamedTuple, Optional, Set, Tuple

from depyf.bytecode.canonical import Block, Graph, Instruction
from depyf.bytecode.dominators import Dominators, dominators
from depyf.bytecode.effects import OPERATIONS

from .contexts import renumber
from .depths import depth_at, effect, lowest_depth
from .uses import join_uses
from .waiting import base_of, waiting_slots

if TYPE_CHECKING:
    from .joining import Split
    from .regions import Regions

EVERYWHERE = -1  # instead of offsets
_ROUNDS = 40  # as deep as what several ways share may nest
_GROWTH = 4  # times as many blocks as there were
_NOT_REPEATED = frozenset(("RERAISE", "PUSH_EXC", "POP_EXCEPT", "ENTER", "ENTER_ASYNC"))
_REPEATED_ENDS = frozenset(("FALL", "JUMP", "BRANCH", "NEXT", "RETURN"))


def expand(graph: Graph, regions: Regions, offsets: FrozenSet[int], split: Split, prune: Callable[[Graph], None]) -> None:
    """Expands the expressions to which instructions at `offsets` belong."""
    expressions = _Expressions(graph, offsets)
    join_uses(graph, regions, expressions.found, expressions.slots, expressions.wanted, split)
    prune(graph)
    _cut_behind_statements(graph, regions, _Expressions(graph, offsets), split)
    budget = _GROWTH * len(graph.blocks) + 40
    for _ in range(_ROUNDS):
        renumber(graph)
        chosen = _Expressions(graph, offsets).shared()
        if not chosen or len(graph.blocks) > budget:
            break
        for shared in chosen:
            if shared.end:
                split(graph, shared.block, shared.end)
            _repeat(graph, regions, shared)
    renumber(graph)
    _merge(graph, regions, _Expressions(graph, offsets))


def _merge(graph: Graph, regions: Regions, expressions: _Expressions) -> None:
    """What was joined and is no longer shared is one block again: no value of it is taken for one that waits."""
    gone: Set[Block] = set()
    for block in expressions.found.order:
        while block not in gone and block.terminator.op in ("FALL", "JUMP") and block not in regions.leaves:
            follower = block.successors[0]
            alone = len(follower.predecessors) == 1 and follower.handler is block.handler and follower is not block
            if not alone or not expressions.waits(follower) or follower.instructions[0].op in ("NEXT", "RERAISE"):
                break
            gone.add(follower)
            block.instructions = block.instructions[:-1] + follower.instructions
            block.successors = follower.successors
            for target in set(follower.successors):
                target.predecessors = [block if p is follower else p for p in target.predecessors]
            if follower in regions.leaves:
                regions.leaves.discard(follower)
                regions.leaves.add(block)
    graph.blocks = [block for block in graph.blocks if block not in gone]
    renumber(graph)


def _cut_behind_statements(graph: Graph, regions: Regions, expressions: _Expressions, split: Split) -> None:
    """Where a statement is over that a block began in the middle of, the rest is no part of what is repeated."""
    for block in expressions.found.order:
        if block in expressions.wanted and expressions.waits(block) and block not in regions.leaves:
            depth, base = block.depth, expressions.base(block)
            for position, instruction in enumerate(block.instructions[:-1]):
                needed, pushed = effect(instruction)
                depth += pushed - needed
                if depth <= base:
                    if position + 2 < len(block.instructions):
                        split(graph, block, position + 1)
                    break


Way = Tuple[Block, int]  # to the successor with that number


class _Shared(NamedTuple):
    """A block to which several ways lead, what is repeated with it, and where to cut it before (0: nowhere). Of the `ways`, those
    in one list stay together: they are those of a conditional expression."""

    block: Block
    unit: List[Block]
    end: int
    ways: List[List[Way]]


class _Expressions:
    """What belongs to the expressions at some offsets, in a graph that is not changed meanwhile."""

    def __init__(self, graph: Graph, offsets: FrozenSet[int]) -> None:
        self.found: Dominators = dominators(graph)
        self.slots = waiting_slots(graph, self.found)
        self.tests: Dict[Block, bool] = {}
        self.decided: Dict[Block, bool] = {}  # whether each test that leads there decides something
        self.wanted = set(graph.blocks) if EVERYWHERE in offsets else self.at(graph, offsets)
        self.inner: Set[Block] = set()
        for block in self.wanted:
            above = self.found.immediate[block.index]
            if above is not None and self.waits(block) and self.is_shared(block):
                ways = self.between(above, block)
                if ways is not None and _untouched(above, ways) + 1 == block.depth and all(map(self.only_evaluates, ways)):
                    self.inner.update(ways)  # of x = (a if b else c) or d, though nothing waits there

    def at(self, graph: Graph, offsets: FrozenSet[int]) -> Set[Block]:
        """The blocks that belong to one expression or condition with a block at `offsets`: each begins in the middle of it."""
        found = [b for b in graph.blocks if any(i.offset in offsets for i in b.instructions)]
        wanted = set(found)
        while found:
            block = found.pop()
            near = [s for s in block.successors if self.waits(s)]
            near += block.predecessors if self.waits(block) else []
            if self.only_tests(block):
                near += [one for one in (*block.successors, *block.predecessors) if self.only_tests(one)]
            for one in near:
                if one not in wanted:
                    wanted.add(one)
                    found.append(one)
        return wanted

    # ------------------------------------------------------------ what a block is

    def base(self, block: Block) -> int:
        return base_of(self.slots[block])

    def waits(self, block: Block) -> bool:
        """Whether a block begins in the middle of an expression; the loop of an inlined comprehension does."""
        slots = self.slots[block]
        if block.terminator.op == "NEXT" and len(block.instructions) == 1:
            slots = slots[: len(slots) - block.terminator.arg[0]]
        return base_of(slots) < len(slots)

    def only_tests(self, block: Block) -> bool:
        """Whether a block does nothing but evaluate what it tests, as a part of a condition."""
        if block not in self.tests:
            self.tests[block] = self.evaluates(block) and block.terminator.op == "BRANCH" and self.ends_in_tests(block)
        return self.tests[block]

    def only_evaluates(self, block: Block) -> bool:
        """Whether a block takes no statement to its end, but for dropping what was tested before it."""
        dropped = next((n for n, i in enumerate(block.instructions) if i.op != "POP"), 0)
        return self.evaluates(block, dropped)

    def evaluates(self, block: Block, start: int = 0) -> bool:
        """Whether a block takes no statement to its end from `start` on."""
        depth, base = depth_at(block, start), self.base(block)
        for instruction in block.instructions[start:-1]:
            needed, pushed = effect(instruction)
            depth += pushed - needed
            if depth <= base or instruction.op not in OPERATIONS:
                return False
        return True

    def ends_in_tests(self, block: Block) -> bool:
        """Whether all values that a block leaves are used by tests, or dropped as at the end of a chain of comparisons."""
        base = self.base(block)
        work, seen = [s for s in block.successors if s.depth > base], {block}
        while work:
            one = work.pop()
            if one in seen:
                continue
            seen.add(one)
            drops = all(i.op in ("POP", "SWAP") for i in one.instructions[:-1])
            if one.terminator.op not in ("FALL", "JUMP", "BRANCH") or not drops and not self.evaluates(one):
                return False
            if one.terminator.op != "BRANCH" and not drops and one.successors[0].depth <= base:
                return False
            work += [s for s in one.successors if s.depth > base]
        return True

    def belongs(self, block: Block) -> bool:
        """Whether a block is a part of an expression or condition that is to be expanded."""
        return block in self.inner or block in self.wanted and (any(self.slots[block]) or self.only_tests(block))

    def is_shared(self, block: Block) -> bool:
        return sum(p.successors.count(block) for p in set(block.predecessors) if not self.found.dominates(block, p)) > 1

    # ------------------------------------------------------------ what is repeated

    def shared(self) -> List[_Shared]:
        """What to repeat next. What that dominates comes later."""
        chosen: List[_Shared] = []
        later: Set[Block] = set()  # what is chosen, and what that dominates
        repeated: Set[Block] = set()
        for block in self.found.order:
            above = self.found.immediate[block.index]
            if above in later:
                later.add(block)
                continue
            if not self.belongs(block) or not self.is_shared(block) or not repeated.isdisjoint(block.predecessors):
                continue
            ways = self.between(above, block) if above is not None else None
            untouched = _untouched(above, ways) if above is not None and ways is not None else None
            end = _end_of_value(block) if untouched == block.depth else 0
            if above is not None and self.is_choice(above, block) or not self.may_repeat(block, end):
                continue
            in_condition = self.only_tests(block) and all(self.only_tests(p) for p in block.predecessors)
            in_comprehension = end > 0 and any(self.slots[block])
            if in_comprehension or in_condition or block in self.inner or self.waits(block):
                unit = [block] if end else self.unit(block, untouched == block.depth)
                apart = self.ways(block, above)
                if unit is not None and len(apart) > 1:
                    chosen.append(_Shared(block, unit, end, apart))
                    later.add(block)
                    repeated.update(unit)
        return chosen

    def is_choice(self, above: Block, block: Block) -> bool:
        """Whether all ways from `above` meet here, with one value more than all of them leave alone: a conditional expression."""
        if block not in self.decided:
            self.decided[block] = not any(p.successors.count(block) > 1 for p in block.predecessors)
        if not self.decided[block]:
            return False  # a test that decides nothing, of what is kept
        ways = self.between(above, block)
        return ways is not None and _untouched(above, ways) + 1 == block.depth

    def ways(self, block: Block, above: Optional[Block]) -> List[List[Way]]:
        """The ways to a block, apart by the conditional expressions that they belong to."""
        groups: Dict[object, List[Way]] = {}
        outermost: Dict[Optional[Block], Optional[Block]] = {None: None, above: None}
        for source in dict.fromkeys(block.predecessors):
            if self.found.dominates(block, source):
                continue
            whole = self.outermost_choice(source, block, outermost)
            for place in [n for n, target in enumerate(source.successors) if target is block]:
                groups.setdefault(whole or (source, place), []).append((source, place))
        return list(groups.values())

    def outermost_choice(self, source: Block, block: Block, known: Dict[Optional[Block], Optional[Block]]) -> Optional[Block]:
        """Where the widest conditional expression begins that meets at a block and that `source` is a part of. `known` are the answers
        for the blocks around, and ends the search."""
        around: List[Block] = []
        one: Optional[Block] = source
        while one is not None and one not in known:
            around.append(one)
            one = self.found.immediate[one.index]
        whole = known[one]
        for one in reversed(around):
            if whole is None and self.is_choice(one, block):
                whole = one
            known[one] = whole
        return whole

    def unit(self, block: Block, begins: bool) -> Optional[List[Block]]:
        """A block and what only it leads to, as far as that belongs to the expression; where a value `begins` with it, up to
        where that is complete. None if a loop in it does not belong to it."""
        number, order = self.found.number, self.found.order
        unit, waiting = {block}, [number[s.index] for s in block.successors]
        heapq.heapify(waiting)
        while waiting:
            one = order[heapq.heappop(waiting)]
            if one in unit or number[one.index] < number[block.index]:
                continue
            if any(p not in unit and not self.found.dominates(one, p) for p in one.predecessors):
                continue
            if begins and one.depth == block.depth + 1 and all(order[other] is one for other in waiting):
                break
            if self.belongs(one) and self.may_repeat(one):
                unit.add(one)
                for target in one.successors:
                    heapq.heappush(waiting, number[target.index])
        repeated = sorted(unit, key=lambda one: number[one.index])
        headers = [one for one in repeated if one in self.found.headers]
        return None if any(p not in unit for one in headers for p in self.found.headers[one]) else repeated

    def may_repeat(self, block: Block, end: int = 0) -> bool:
        """Whether a block may be repeated, or what comes before `end`."""
        if any(i.op not in OPERATIONS or i.op in _NOT_REPEATED for i in block.instructions[: end or -1]):
            return False
        return end > 0 or block.terminator.op in _REPEATED_ENDS

    def between(self, above: Block, block: Block) -> Optional[List[Block]]:
        """The blocks on the ways from `above` to `block`; None if a way from there leads past `block`, or only an exception there."""
        if not above.successors:
            return None
        number = self.found.number
        ways: List[Block] = []
        seen = {above, block}
        work = list(above.successors)
        while work:
            one = work.pop()
            if one in seen:
                continue
            seen.add(one)
            if number[one.index] > number[block.index] or not one.successors:
                return None
            ways.append(one)
            work.extend(one.successors)
        return ways


def _untouched(above: Block, ways: List[Block]) -> int:
    """How many slots of the stack there are behind `above` that these leave alone."""
    depths = [target.depth for target in above.successors]
    return min(depths + [lowest_depth(one, len(one.instructions)) for one in ways])


def _end_of_value(block: Block) -> int:
    """Where the value is complete that begins with the block: the rest need not be repeated. 0: not in this block."""
    depth = block.depth
    for position, instruction in enumerate(block.instructions):
        needed, pushed = effect(instruction)
        if depth == block.depth + 1 and _takes(instruction, depth - needed - block.depth, pushed):
            return position
        depth += pushed - needed
    return 0


def _takes(instruction: Instruction, left: int, pushed: int) -> bool:
    """Whether an instruction uses a value together with others, or takes it away; `left` is what it leaves below itself."""
    return left < 0 or left + pushed <= 0 or instruction.op in ("COPY", "SWAP") and not left


# ---------------------------------------------------------------- repeating


def _repeat(graph: Graph, regions: Regions, shared: _Shared) -> None:
    """The ways into the unit get their own; the first keep the blocks there are."""
    block, inside = shared.block, set(shared.unit)
    block.predecessors = [p for p in block.predecessors if p in inside] + [source for source, _ in shared.ways[0]]
    for ways in shared.ways[1:]:
        copy = _copies(graph, regions, shared.unit)[block]
        for source, place in ways:
            copy.predecessors.append(source)
            targets = list(source.successors)
            targets[place] = copy
            source.successors = tuple(targets)
            if (source, block) in regions.jump_lines:
                regions.jump_lines[(source, copy)] = regions.jump_lines[(source, block)]


def _copies(graph: Graph, regions: Regions, unit: List[Block]) -> Dict[Block, Block]:
    copies: Dict[Block, Block] = {}
    for block in unit:
        copy = copies[block] = Block(len(graph.blocks))
        copy.instructions = list(block.instructions)
        copy.handler, copy.depth, copy.copy = block.handler, block.depth, block.copy
        graph.blocks.append(copy)
    for block, copy in copies.items():
        copy.successors = tuple(copies.get(target, target) for target in block.successors)
        for target in copy.successors:
            target.predecessors.append(copy)
        for target in block.successors:
            if (block, target) in regions.jump_lines:
                regions.jump_lines[(copy, copies.get(target, target))] = regions.jump_lines[(block, target)]
    return copies
