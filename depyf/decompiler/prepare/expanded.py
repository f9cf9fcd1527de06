"""Shared ways through an expression become ways of their own: `x < (a if b or True else c)` has two ways to one load of `a`.

Any choice between values can be written as nested conditional expressions, if what several ways share is repeated. That is for
bodies whose names are seen, where a value cannot be kept under a name of ours: only the expressions that would need one are expanded.
Conditional expressions whose ways meet with one value are as they were written, and stay.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Dict, FrozenSet, List, Optional, Set, Tuple

from depyf.bytecode.canonical import Block, Graph, Instruction
from depyf.bytecode.dominators import Dominators, dominators
from depyf.bytecode.effects import OPERATIONS

from .contexts import renumber
from .depths import effect, lowest_depth
from .uses import join_uses
from .waiting import Slots, base_of, waiting_slots

if TYPE_CHECKING:
    from .copies import Split
    from .regions import Regions

EVERYWHERE = -1  # instead of offsets
_ROUNDS = 40  # as deep as what several ways share may nest
_GROWTH = 4  # times as many blocks as there were
_NOT_REPEATED = frozenset(("RETURN", "RAISE", "RERAISE", "END_ASYNC_FOR", "PUSH_EXC", "POP_EXCEPT", "ENTER", "ENTER_ASYNC"))


def expand(graph: Graph, regions: Regions, offsets: FrozenSet[int], split: Split, prune: Callable[[Graph], None]) -> None:
    """Expands the expressions to which instructions at `offsets` belong."""
    found = dominators(graph)
    join_uses(graph, regions, found, _expressions_at(graph, waiting_slots(graph, found), offsets), split)
    prune(graph)
    budget = _GROWTH * len(graph.blocks) + 40
    for _ in range(_ROUNDS):
        renumber(graph)
        found = dominators(graph)
        chosen = _shared_blocks(graph, found, offsets)
        if not chosen or len(graph.blocks) > budget:
            break
        for block, unit, end in chosen:
            if end:
                split(graph, block, end)
            _repeat(graph, regions, block, unit)


def _shared_blocks(graph: Graph, found: Dominators, offsets: FrozenSet[int]) -> List[Tuple[Block, List[Block], int]]:
    """What to repeat next: a block, what it is repeated with, and where to cut it before. What those dominate comes later."""
    slots = waiting_slots(graph, found)
    wanted = _expressions_at(graph, slots, offsets)
    inner = _inside(wanted, slots, found)
    chosen: List[Tuple[Block, List[Block], int]] = []
    for block in found.order:
        waits = block in inner or block in wanted and _waits(block, slots[block])
        tests = not waits and block in wanted and _only_tests(block, slots) and all(_only_tests(p, slots) for p in block.predecessors)
        if not waits and not tests and not (block in wanted and any(slots[block])):
            continue
        if not _is_shared(block, found) or any(found.dominates(one, block) for one, _, _ in chosen):
            continue
        unit = _unit(block, found)
        end = _end_of_value(block, base_of(slots[block]), found) if len(unit) == 1 else 0
        if (waits or end or tests) and not _is_choice(block, found) and _may_repeat(unit):  # in a comprehension, tests that decide nothing
            chosen.append((block, unit, end))
    return chosen


# ---------------------------------------------------------------- which blocks


def _expressions_at(graph: Graph, slots: Dict[Block, Slots], offsets: FrozenSet[int]) -> Set[Block]:
    """The blocks that belong to one expression with a block at `offsets`: each begins in the middle of it."""
    if EVERYWHERE in offsets:
        return set(graph.blocks)
    found = [b for b in graph.blocks if any(i.offset in offsets for i in b.instructions)]
    wanted = set(found)
    while found:
        block = found.pop()
        near = [s for s in block.successors if _waits(s, slots[s])]
        near += block.predecessors if _waits(block, slots[block]) else []
        if _only_tests(block, slots):
            near += [one for one in (*block.successors, *block.predecessors) if _only_tests(one, slots)]
        for one in near:
            if one not in wanted:
                wanted.add(one)
                found.append(one)
    return wanted


def _waits(block: Block, slots: Slots) -> bool:
    """Whether a block begins in the middle of an expression; the loop of an inlined comprehension does."""
    if block.terminator.op == "NEXT" and len(block.instructions) == 1:
        slots = slots[: len(slots) - block.terminator.arg[0]]
    return base_of(slots) < len(slots)


def _only_tests(block: Block, slots: Dict[Block, Slots]) -> bool:
    """Whether a block does nothing but evaluate what it tests: where it begins no statement does, or one that does nothing else."""
    depth, base = block.depth, base_of(slots[block])
    if block.terminator.op != "BRANCH":
        return False
    for instruction in block.instructions[:-1]:
        needed, pushed = effect(instruction)
        depth += pushed - needed
        if depth <= base or instruction.op not in OPERATIONS:
            return False
    return True


def _inside(wanted: Set[Block], slots: Dict[Block, Slots], found: Dominators) -> Set[Block]:
    """Blocks that may begin with nothing that waits and are in the middle of an expression all the same: of x = (a if b else c) or d."""
    inner: Set[Block] = set()
    for block in wanted:
        above = found.immediate[block.index]
        if above is not None and _waits(block, slots[block]) and _is_shared(block, found):
            ways = _between(above, block, found)
            if ways is not None and _untouched(above, ways) + 1 == block.depth:
                inner.update(ways)
    return inner


def _is_shared(block: Block, found: Dominators) -> bool:
    return sum(p.successors.count(block) for p in set(block.predecessors) if not found.dominates(block, p)) > 1


def _is_choice(block: Block, found: Dominators) -> bool:
    """Whether all ways from the dominator meet here, with one value more than all of them leave alone."""
    above = found.immediate[block.index]
    ways = _between(above, block, found) if above is not None else []
    return above is None or ways is not None and _untouched(above, ways) + 1 == block.depth


def _between(above: Block, block: Block, found: Dominators) -> Optional[List[Block]]:
    """The blocks on the ways from `above` to `block`; None if a way from there leads past `block`."""
    ways: List[Block] = []
    seen = {above, block}
    work = list(above.successors)
    while work:
        one = work.pop()
        if one in seen:
            continue
        seen.add(one)
        if found.number[one.index] > found.number[block.index] or not one.successors:
            return None
        ways.append(one)
        work.extend(one.successors)
    return ways


def _untouched(above: Block, ways: List[Block]) -> int:
    """How many slots of the stack there are behind `above` that these leave alone."""
    depths = [target.depth for target in above.successors]
    return min(depths + [lowest_depth(one, len(one.instructions)) for one in ways])


# ---------------------------------------------------------------- what is repeated


def _unit(block: Block, found: Dominators) -> List[Block]:
    """A block, or the loop that begins with it."""
    body = {block}
    work = list(found.headers.get(block, ()))
    while work:
        one = work.pop()
        if one not in body:
            body.add(one)
            work.extend(found.sources[one.index])
    return sorted(body, key=lambda one: found.number[one.index])


def _may_repeat(unit: List[Block]) -> bool:
    for block in unit:
        if any(i.op not in OPERATIONS or i.op in _NOT_REPEATED for i in block.instructions[:-1]):
            return False
        if block.terminator.op not in ("FALL", "JUMP", "BRANCH", "NEXT", "RETURN"):
            return False
        if block.terminator.op == "NEXT" and len(unit) == 1:
            return False
    return True


def _end_of_value(block: Block, base: int, found: Dominators) -> int:
    """Where the value is complete that begins with the block, or the statement is over: the rest need not be repeated. 0: nowhere."""
    above = found.immediate[block.index]
    ways = _between(above, block, found) if above is not None else None
    begins = above is not None and ways is not None and _untouched(above, ways) == block.depth
    depth, last = block.depth, len(block.instructions) - 1
    for position, instruction in enumerate(block.instructions):
        needed, pushed = effect(instruction)
        if begins and depth == block.depth + 1 and _takes(instruction, depth - needed - block.depth, pushed):
            return position
        depth += pushed - needed
        if depth <= base < block.depth and position < last:
            return position + 1
    return 0


def _takes(instruction: Instruction, left: int, pushed: int) -> bool:
    """Whether an instruction uses a value together with others, or takes it away; `left` is what it leaves below itself."""
    return left < 0 or left + pushed <= 0 or instruction.op in ("COPY", "SWAP") and not left


def _repeat(graph: Graph, regions: Regions, block: Block, unit: List[Block]) -> None:
    """Each way into the unit gets its own; the first keeps the blocks there are."""
    inside = set(unit)
    ways: List[Tuple[Block, int]] = []
    for source in dict.fromkeys(block.predecessors):
        if source not in inside:
            ways += [(source, place) for place, target in enumerate(source.successors) if target is block]
    block.predecessors = [p for p in block.predecessors if p in inside] + [ways[0][0]]
    for source, place in ways[1:]:
        copies = _copies(graph, regions, unit)
        copy = copies[block]
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
