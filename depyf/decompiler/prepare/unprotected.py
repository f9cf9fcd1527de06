"""Tests that the compiler left unprotected inside a try body, an except clause or an inlined comprehension.

Since 3.14 the first test of `(a and b) and c` jumps straight to the end of the whole, and the compiler forgets which handler
was around it. It will do so again when the text is compiled, if the parentheses are there: the test is marked for that.
"""

from __future__ import annotations

from typing import Dict, List, Set, Tuple, Union

from depyf.bytecode.canonical import Block, Graph

from .depths import depth_at
from .ways import Place, is_copy, jump_from, lead_alike, past_jumps


def unprotected_tests(graph: Graph) -> List[Block]:
    """The blocks that are such tests; they get the handler of what leads to them."""
    found: List[Block] = []
    for block in graph.blocks:
        if [i.op for i in block.instructions] != _TEST or not block.predecessors:
            continue
        around = {p.handler for p in block.predecessors}
        if len(around) == 1 and block.handler not in around:
            block.handler = around.pop()
            found.append(block)
    return found


def ends_an_operand(test: Block) -> bool:
    """Whether what is tested is the last operand of the opposite operator, `(a or b) and c`: another test leads past this one."""
    passed = _ways(test)[1]
    return any(passed in before.successors for source in test.predecessors for before in source.predecessors)


def join_pops(graph: Graph, marked: List[Block]) -> Set[Block]:
    """`(a and b) and c` as a statement: all ways to its end drop its value in one place, also where the compiler copied it.

    Returns those places."""
    kept = {past_jumps((_ways(test)[0], 0))[0] for test in _related(marked)}
    ends = {end for end in kept if end.instructions[0].op == "POP" and not any(_goes_further(p, end) for p in end.predecessors)}
    pops, destinations = _pops_by_destination(graph) if ends else ({}, {})
    for end in sorted(ends, key=lambda one: one.index):
        changed = None
        for block, position in pops[destinations[end]] if end in ends else ():
            if block is changed or not _is_copy(block, position, end):
                continue
            changed = block
            if position:
                jump_from(block, position, end)
            else:
                _replace(block, end)
                ends.discard(block)
    return ends


Destination = Union[Block, Tuple[str, str]]


def _pops_by_destination(graph: Graph) -> Tuple[Dict[Destination, List[Place]], Dict[Block, Destination]]:
    """Everything that drops a value, by where its straight way leads to, which that of a copy does as well: a block that leads to
    several others, or to none; then by what that does."""
    destinations: Dict[Block, Destination] = {}
    pops: Dict[Destination, List[Place]] = {}
    for block in graph.blocks:
        way: Dict[Block, None] = {}
        last = block
        while last not in destinations and last.terminator.op in ("JUMP", "FALL") and last not in way:
            way[last] = None
            last = last.successors[0]
        found = destinations.get(last, last if last.successors else (last.terminator.op, repr(last.terminator.arg)))
        destinations.update(dict.fromkeys([*way, last], found))
        for position, instruction in enumerate(block.instructions):
            if instruction.op == "POP":
                pops.setdefault(found, []).append((block, position))
    return pops, destinations


def _related(marked: List[Block]) -> List[Block]:
    """Unprotected tests, and the other tests of the same expressions: each begins by dropping what the one before it tested.

    Or with a copy of what it tests, where that is a chain of comparisons, whose two ways meet before. And whatever is tested
    and leads to where an unprotected test leads with its value is of the same expression."""
    found, work, places = dict.fromkeys(marked), list(marked), set()
    while work:
        test = work.pop()
        for block in test.successors:
            first = block.instructions[0].op
            if block.terminator.op in ("JUMP", "FALL") and first in ("POP", "SWAP"):
                block, first = block.successors[0], "POP"
            if first == "POP" and ["POP", *[i.op for i in block.instructions]][-3:] == _TEST and block not in found:
                found[block] = None
                work.append(block)
        kept = _ways(test)[0]
        if kept not in places:
            places.add(kept)
            others = [p for p in kept.predecessors if [i.op for i in p.instructions[-3:]] == _TEST and p not in found]
            found.update(dict.fromkeys(others))
            work += others
    return [*found]


_TEST = ["COPY", "TRUTH", "BRANCH"]


def _ways(test: Block) -> Tuple[Block, Block]:
    """Where a test goes with the value it tested, and where it goes to drop it."""
    true, false = test.successors
    return (true, false) if test.terminator.arg else (false, true)


def _goes_further(block: Block, end: Block) -> bool:
    """Whether a block tests a value and drops it at `end`, to go on with another operand."""
    return [i.op for i in block.instructions[-3:]] == _TEST and _ways(block)[1] is end


def _is_copy(block: Block, position: int, end: Block) -> bool:
    """Whether a copy of the code at `end` stands there in a block, with the same handlers around it."""
    if block is end or block.handler is not end.handler or block.copy != end.copy or position >= len(block.instructions):
        return False
    if not is_copy(block.instructions[position], end.instructions[0]) or depth_at(block, position) != end.depth:
        return False
    return lead_alike((block, position), (end, 0), is_copy)


def _replace(block: Block, end: Block) -> None:
    """What leads to a block leads to `end`, unless it only drops a value there to go on with another operand."""
    if not any(_goes_further(before, block) for before in block.predecessors):
        for before in dict.fromkeys(block.predecessors):
            before.successors = tuple(end if s is block else s for s in before.successors)
            end.predecessors.append(before)
        block.predecessors = []
