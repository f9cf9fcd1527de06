"""Jumps past a test that would only be made again: (a if b else c and d) or e, where `c` is false, goes straight to `e`.

The compiler knows how the test behind the conditional expression will end; the expression reads as it was written once that way
leads to the test again. The truth of `c` is then tested twice in a row, which the compiler takes to be the same as well.
"""

from __future__ import annotations

from typing import List, Tuple

from depyf.bytecode.canonical import Block, Graph, Instruction

_KEPT = ["COPY", "TRUTH", "BRANCH"]  # a test whose value stays
_TESTED = frozenset(("TRUTH", "NOT", "IS", "CONTAINS"))  # what a branch takes; all but the first are values themselves


def lead_to_tests(graph: Graph) -> bool:
    """Whether any jump was changed."""
    changed = False
    for test in graph.blocks:
        if len(test.instructions) == 3 and len(test.predecessors) > 1 and [i.op for i in test.instructions] == _KEPT:
            for value in [p for p in test.predecessors if p.successors == (test,)]:
                value = _begin_of_operand(value)
                while _lead_back(value, test):  # from the last operand to the first
                    changed = True
                    value = _begin_of_operand(value.predecessors[0])
    return changed


def past_tests(branch: Block, way: int) -> Block:
    """Where one of the ways of a branch leads, past tests of the same value: the compiler jumps past them where it can."""
    target, seen = branch.successors[way], {branch}
    if [i.op for i in branch.instructions[-3:]] == _KEPT:
        while [i.op for i in target.instructions] == _KEPT and target not in seen:
            seen.add(target)
            target = target.successors[way]
    return target


def _begin_of_operand(value: Block) -> Block:
    """An unprotected test is a block of its own behind that of its operand."""
    while len(value.predecessors) == 1 and value.predecessors[0].successors == (value,):
        value = value.predecessors[0]
    return value


def _lead_back(value: Block, test: Block) -> bool:
    """`value` makes an operand of an `and` or `or`; the one before it, where that decides, jumps past `test`."""
    if len(value.predecessors) != 1:
        return False
    branch = value.predecessors[0]
    if branch.terminator.op != "BRANCH" or branch.handler is not test.handler or value is branch or len(branch.successors) != 2:
        return False
    way = 1 if branch.successors[0] is value else 0
    past, behind = branch.successors[way], test.successors[way]
    kept = [i.op for i in branch.instructions[-3:]] == _KEPT
    if kept and past is behind and past is not value:
        _redirect(branch, way, test)
        return True
    if kept or not _only_drops(behind) or behind.successors[0] is not past or branch.instructions[-2].op not in _TESTED:
        return False
    _keep_value(branch, value)
    _redirect(branch, way, test)
    return True


def _only_drops(block: Block) -> bool:
    return [i.op for i in block.instructions[:-1]] == ["POP"] and block.terminator.op in ("FALL", "JUMP")


def _keep_value(branch: Block, value: Block) -> None:
    """The test keeps what it tests, and the way that does without it drops it first."""
    tested, first = branch.instructions[-2], value.instructions[0]
    start = len(branch.instructions) - (2 if tested.op == "TRUTH" else 1)
    branch.instructions[start:-1] = [Instruction(op, arg, tested.offset, tested.line) for op, arg in (("COPY", 1), ("TRUTH", None))]
    value.instructions.insert(0, Instruction("POP", None, first.offset, first.line))
    value.depth += 1


def _redirect(branch: Block, way: int, test: Block) -> None:
    past = branch.successors[way]
    past.predecessors.remove(branch)
    test.predecessors.append(branch)
    both: List[Block] = list(branch.successors)
    both[way] = test
    made: Tuple[Block, ...] = tuple(both)
    branch.successors = made
