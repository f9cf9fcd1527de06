"""Puts a CASE instruction in the place of each pattern's code, and lifts it; `structuring.matches` makes `match` of them.

CASE (case)   [subject] -> [subject, bool], or [bool] where the pattern takes the subject off the stack
"""

from __future__ import annotations

import heapq
from typing import Any, Callable, List, Optional, Set, Tuple, Union

from depyf.bytecode.canonical import Block, Graph, Instruction

from ..lifting.lift import Lifter
from ..lifting.values import Copied, Marker, Test
from ..structuring.jumps import MatchBegins
from ..tree import Expr, ExprStmt, Match
from .captures import Subjects, behind_first_guard, behind_guards, mark_subjects, subjects_in
from .depths import drops_older
from .matching import Case, Found, find_case
from .ways import is_restore

_STARTS = frozenset(("MATCH_SEQUENCE", "MATCH_MAPPING"))
_PATTERNS = _STARTS | {"MATCH_CLASS"}
CASE_OPERATIONS = frozenset(("POP", "BRANCH"))  # without these there is no case
_LOADS = frozenset(("LOAD_LOCAL", "LOAD_NAME", "LOAD_GLOBAL", "LOAD_CELL"))
_FROM_MAPPING = frozenset(("LOAD_DICT_OR_CELL", "LOAD_DICT_OR_GLOBAL"))


Split = Callable[[Graph, Block, int], Block]


class Subject(Marker):
    """The subject of a match, on the stack while its cases are tried. `match` is the statement that evaluates it: an
    expression statement, if the rest is no match."""

    __slots__ = ("value", "match", "name")

    def __init__(self, value: Expr, offset: int) -> None:
        self.value = value
        self.match: Union[Match, ExprStmt, None] = None
        self.name: Optional[str] = None
        self.offset = offset


# ---------------------------------------------------------------- in the graph


def fold_cases(graph: Graph, split: Split) -> bool:
    """Replaces the code of every pattern. `split` cuts a block. Returns whether there was any."""
    if _PATTERNS.isdisjoint(graph.ops) and not any(map(_may_be_of_match, graph.blocks)):
        return False
    _drop_last_alternatives(graph)
    gone: Set[Block] = set()
    folded = set(graph.folded)
    found_any = False
    may_begin: List[Tuple[Block, Optional[Subjects]]] = []  # as long as none was found: where a first case may have no pattern
    seen = 0
    waiting: List[Tuple[int, int]] = []  # in the order of the bytecode: the rest of a cut block before what follows it
    while seen < len(graph.blocks) or waiting:
        for index in range(seen, len(graph.blocks)):
            heapq.heappush(waiting, (graph.blocks[index].offset, index))
        seen = len(graph.blocks)
        block = graph.blocks[heapq.heappop(waiting)[1]]
        if block in gone:
            continue
        first = _first_case(block, _possible_starts(block))
        if first is None:
            subjects = subjects_in(block)
            if subjects:
                may_begin.append((block, subjects))
                block, first = behind_first_guard(block, subjects)
        if first is not None and block not in gone:
            found_any = True
            _fold_chain(graph, block, first, gone, split, folded)
    mark_subjects(graph, [(block, None) for block in graph.blocks] if found_any else may_begin)
    return found_any


def _may_be_of_match(block: Block) -> bool:
    """Cases drop their subject, if their body can be reached, or are tested on a copy of it."""
    if block.terminator.op == "BRANCH" and "COPY" in [instruction.op for instruction in block.instructions]:
        return True
    return drops_older(block) and not is_restore(block)


def _drop_last_alternatives(graph: Graph) -> None:
    """`a | _`: up to 3.11 the last alternative copies the subject for nothing. Later there is no trace of it."""
    for block in graph.blocks:
        if len(block.instructions) != 3 or block.instructions[1].op != "POP" or not block.successors:
            continue
        first, behind = block.instructions[0], block.successors[0].instructions[0]
        if first.op == "COPY" and first.arg == 1 and behind.op == "POP":
            del block.instructions[:2]


def _first_case(block: Block, starts: List[int]) -> Optional[Tuple[int, Found]]:
    for start in starts:
        found = find_case(block, start)
        if found is not None:
            return start, found
    return None


def _fold_chain(graph: Graph, block: Block, first: Tuple[int, Found], gone: Set[Block], split: Split, folded: Set[int]) -> None:
    """Folds a case and those after it, as long as the subject is still on the stack. `folded` are the graph's folded offsets.

    Alternatives whose body is short and ends the function have a copy of it each: then they look like cases that
    work on a second copy of the subject."""
    following: Optional[Tuple[int, Found]] = first
    copies = 0
    while following is not None:
        start, found = following
        if copies == 0 and start > 0 and block.instructions[start - 1].op == "COPY":
            copies = 1
        found.case.is_alternative = copies > 0 and not found.case.pops
        otherwise = _fold(graph, block, start, found, split)
        found.case.before_default = otherwise.offset - 2 in folded  # a NOP that has the line of `case _:`
        gone.update(one for one in found.visited if one is not block)
        if found.case.pops:
            copies -= 1
        block = otherwise
        following = _first_case(block, [0, 1]) if copies >= 0 and block not in gone else None
        if following is None and copies == 0 and block not in gone:
            block, following = behind_guards(block)
            following = None if block in gone else following


def _possible_starts(block: Block) -> List[int]:
    starts, instructions = [], block.instructions
    # an or-pattern or a class without arguments may begin before a jump
    may_begin = instructions[-1].op == "BRANCH" or any(i.op == "COPY" for i in instructions)
    for index, instruction in enumerate(instructions if may_begin else ()):
        op = instruction.op
        if op == "COPY" and instruction.arg == 1 or op in _STARTS:
            starts.append(index)
        elif op == "MATCH_CLASS":
            start = _before_class(instructions, index - 2)
            if start is not None:
                starts.append(start)
    return starts


def _before_class(instructions: List[Instruction], index: int) -> Optional[int]:
    """Where the expression of the class that MATCH_CLASS takes begins."""
    while index >= 0 and instructions[index].op == "LOAD_ATTR":
        index -= 1
    if index >= 1 and instructions[index].op in _FROM_MAPPING:
        return index - 1
    return index if index >= 0 and instructions[index].op in _LOADS else None


def _fold(
    graph: Graph, block: Block, start: int, found: Found, split: Split
) -> Block:
    otherwise = _cut(graph, found.otherwise, split)
    body = _cut(graph, found.body, split)
    first = block.instructions[start]
    for successor in dict.fromkeys(block.successors):
        successor.predecessors = [p for p in successor.predecessors if p is not block]
    block.instructions = [
        *block.instructions[:start],
        Instruction("CASE", found.case, first.offset, first.line),
        Instruction("BRANCH", False, first.offset, first.line),
    ]
    block.successors = (body, otherwise)
    body.predecessors.append(block)
    otherwise.predecessors.append(block)
    return otherwise


def _cut(graph: Graph, place: Any, split: Split) -> Block:
    block, position = place
    return split(graph, block, position) if position else block


# ---------------------------------------------------------------- lifting


def lift_case(lifter: Lifter, instruction: Instruction) -> None:
    case: Case = instruction.arg
    subject = lifter.stack[-1]
    if not isinstance(subject, Subject):
        subject = _start_match(lifter, instruction)
    if case.pops:
        lifter.stack.pop()
    lifter.push_effect(Test("case", [subject], instruction.offset, case))


def lift_subject(lifter: Lifter, instruction: Instruction) -> None:
    """A match begins whose first case has no pattern."""
    if not isinstance(lifter.stack[-1], Subject):
        lifter.emit(MatchBegins(_start_match(lifter, instruction), instruction.offset))


def _start_match(lifter: Lifter, instruction: Instruction) -> Subject:
    on_stack = lifter.stack[-1]
    [value] = lifter.use([lifter.pop()])
    if isinstance(value, Copied) and value.value is not None and value.name is None:
        value = value.value
    subject = Subject(value, instruction.offset)
    lifter.stack = [subject if one is on_stack else one for one in lifter.stack]
    lifter.stack.append(subject)
    return subject


def case_of(test: Expr) -> Optional[Case]:
    """The case that a branch tests for."""
    if isinstance(test, Test) and test.kind == "case":
        case: Case = test.extra
        return case
    return None
