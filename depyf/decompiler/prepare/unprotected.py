"""Tests that the compiler left unprotected inside a try body, an except clause or an inlined comprehension.

Since 3.14 the first test of `(a and b) and c` jumps straight to the end of the whole, and the compiler forgets which handler
was around it. It will do so again when the text is compiled, if the parentheses are there: the test is marked for that.
"""

from __future__ import annotations

from typing import List, Optional, Set, Tuple

from depyf.bytecode.canonical import Block, Graph

from .depths import depth_at
from .ways import is_copy, jump_from, lead_alike, past_jumps


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
    for end in sorted(ends, key=lambda one: one.index):
        for block in graph.blocks if end in ends else ():
            position = _copy_in(block, end)
            if position:
                jump_from(block, position, end)
            elif position == 0:
                _replace(block, end)
                ends.discard(block)
    return ends


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


def _copy_in(block: Block, end: Block) -> Optional[int]:
    """Where in a block a copy of the code at `end` begins, with the same handlers around it; None if it does not."""
    if block is end or block.handler is not end.handler or block.copy != end.copy:
        return None
    for position, instruction in enumerate(block.instructions):
        if is_copy(instruction, end.instructions[0]) and depth_at(block, position) == end.depth:
            if lead_alike((block, position), (end, 0), is_copy):
                return position
    return None


def _replace(block: Block, end: Block) -> None:
    """What leads to a block leads to `end`, unless it only drops a value there to go on with another operand."""
    if not any(_goes_further(before, block) for before in block.predecessors):
        for before in dict.fromkeys(block.predecessors):
            before.successors = tuple(end if s is block else s for s in before.successors)
            end.predecessors.append(before)
        block.predecessors = []
