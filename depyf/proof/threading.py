"""Tests of a value that was tested just before and stayed on the stack for the next test: CPython jumps past those.

Up to 3.9 it does so only where the jump does not get longer by it, so that of two code objects with the same source in different
places one may make a test again that the other does not, and the other way round. Both are threaded here as CPython threads.
"""

from __future__ import annotations

from typing import List

from depyf.bytecode.canonical import Block, Graph, Instruction

_KEPT = ["COPY", "TRUTH", "BRANCH"]  # tests a value that stays
_DROPPED = _KEPT[1:]


def thread(graph: Graph) -> bool:
    """Lets every branch on a value that stays lead past tests of that value; whether there was one."""
    changed = False
    for block in list(graph.blocks):
        if _ops(block.instructions[-3:]) == _KEPT and block.instructions[-3].arg == 1 and len(block.successors) == 2:
            for way in (0, 1):
                changed = _thread(graph, block, way) or changed
    return changed


def _thread(graph: Graph, block: Block, way: int) -> bool:
    target, passed = block.successors[way], {block}
    while _ops(target.instructions) == _KEPT and target.handler is block.handler and target not in passed:
        passed.add(target)
        target = target.successors[way]
    if _ops(target.instructions) == _DROPPED and target.handler is block.handler:
        target = _dropping(graph, target, way)
    elif len(passed) == 1:
        return False
    before = block.successors[way]
    before.predecessors.remove(block)
    target.predecessors.append(block)
    block.successors = (target, block.successors[1]) if way == 0 else (block.successors[0], target)
    return True


def _dropping(graph: Graph, test: Block, way: int) -> Block:
    """What drops the value in the place of a test that would have, and goes on as that would have."""
    truth = test.instructions[0]
    made = Block(len(graph.blocks))
    made.instructions = [Instruction(op, None, truth.offset, truth.line) for op in ("POP", "FALL")]
    made.handler, made.depth, made.copy, made.successors = test.handler, test.depth, test.copy, (test.successors[way],)
    test.successors[way].predecessors.append(made)
    graph.blocks.append(made)
    return made


def _ops(instructions: List[Instruction]) -> List[str]:
    return [instruction.op for instruction in instructions]
