"""Puts a CASE instruction in the place of each pattern's code, and makes `match` of the branches on them.

CASE (case)   [subject] -> [subject, bool], or [bool] where the pattern takes the subject off the stack
"""

from __future__ import annotations

import heapq
from typing import Any, Callable, List, Optional, Set, Tuple

from depyf.bytecode.canonical import Block, Graph, Instruction
from depyf.bytecode.effects import effect_of

from ..lifting.lift import Lifter
from ..lifting.values import Copied, Marker, Test
from ..structuring.jumps import Branch, HeldHere
from ..structuring.logic import make_and
from ..structuring.walk import falls_through
from ..tree import Assign, Const, Expr, Match, MatchAs, MatchCase, MatchOr, Name, NamedExpr, Pass, Pattern, Stmt
from .depths import effect
from .matching import Case, Found, find_case

_STARTS = frozenset(("MATCH_SEQUENCE", "MATCH_MAPPING"))
# without one of these there is no pattern
CASE_STARTS = _STARTS | {"COPY", "MATCH_CLASS"}
_LOADS = frozenset(("LOAD_LOCAL", "LOAD_NAME", "LOAD_GLOBAL", "LOAD_CELL"))
_FROM_MAPPING = frozenset(("LOAD_DICT_OR_CELL", "LOAD_DICT_OR_GLOBAL"))


Split = Callable[[Graph, Block, int], Block]


class Subject(Marker):
    """The subject of a match, on the stack while its cases are tried. `match` is the statement that evaluates it."""

    __slots__ = ("value", "match", "name")

    def __init__(self, value: Expr, offset: int) -> None:
        self.value = value
        self.match: Optional[Match] = None
        self.name: Optional[str] = None
        self.offset = offset


# ---------------------------------------------------------------- in the graph


def fold_cases(graph: Graph, split: Split) -> bool:
    """Replaces the code of every pattern. `split` cuts a block. Returns whether there was any."""
    gone: Set[Block] = set()
    found_any = False
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
            block, first = _behind_capture(block)
        if first is not None and block not in gone:
            found_any = True
            _fold_chain(graph, block, first, gone, split)
            if first[0] == 0:
                _mark_captures(block)
    return found_any


def _behind_capture(block: Block) -> Tuple[Block, Optional[Tuple[int, Found]]]:
    """The second case of a match whose first one takes everything under a guard; it may be a plain comparison."""
    if block.terminator.op == "BRANCH" and any(i.op == "COPY" for i in block.instructions):
        at = block.depth
        for index, instruction in enumerate(block.instructions[:-1]):
            stored = instruction.op == "COPY" and instruction.arg == 1 and block.instructions[index + 1].op in _STORES
            if stored and _stays(block, index + 2, at, at):
                for other in _reached_at(block, at):
                    found = find_case(other, 0)
                    if found is not None:
                        return other, (0, found)
            if instruction.op in ("SUBJECT", "CASE"):
                break
            needed, pushed = effect_of(instruction.op, instruction.arg)
            at += pushed - needed
    return block, None


def _stays(block: Block, start: int, at: int, depth: int) -> bool:
    """Whether what lies at `depth` is left alone from `start` on, where the stack is `at` deep."""
    for instruction in block.instructions[start:]:
        needed, pushed = effect(instruction)
        if at - needed < depth:
            return False
        at += pushed - needed
    return True


def _reached_at(block: Block, depth: int) -> List[Block]:
    """The blocks to which a guard may lead, with the subject still on top of the stack."""
    found: List[Block] = []
    drops = False  # where the guard holds, the subject is dropped
    work, seen = [block], {block}
    while work and len(seen) < _LONGEST_GUARD:
        for target in work.pop().successors:
            if target.depth == depth and target.instructions[0].op == "POP":
                drops = True
            elif target not in seen and target.depth > depth:  # the guard chooses between values
                seen.add(target)
                if _stays(target, 0, target.depth, depth):
                    work.append(target)
            elif target not in seen and target.depth == depth:
                seen.add(target)
                found.append(target)
                if target.terminator.op == "BRANCH" and _stays(target, 0, depth, depth):
                    work.append(target)
    return found if drops else []


_LONGEST_GUARD = 60  # in blocks
_STORES = frozenset(("STORE_LOCAL", "STORE_NAME", "STORE_GLOBAL", "STORE_CELL"))


def _mark_captures(block: Block) -> None:
    """A first case that takes everything, but has a guard (`case x if ...`), stores a copy of the subject."""
    work, seen = [block], {block}
    while work and len(seen) < _LONGEST_GUARD:
        for guard in work.pop(0).predecessors:
            if guard in seen or guard.depth < block.depth and guard.terminator.op != "BRANCH":
                continue
            seen.add(guard)
            place = _captures(guard, block.depth)
            if place is None:
                if not any(i.op == "CASE" for i in guard.instructions):
                    work.append(guard)
                continue
            mark = Instruction("SUBJECT", None, guard.instructions[place].offset, guard.instructions[place].line)
            guard.instructions = [*guard.instructions[:place], mark, *guard.instructions[place:]]
            if place == 0:
                work.append(guard)  # another one may stand before it


def _captures(block: Block, depth: int) -> Optional[int]:
    """Where a copy of what lies at `depth` is stored."""
    at = block.depth
    for index, instruction in enumerate(block.instructions[:-1]):
        if instruction.op == "COPY" and instruction.arg == 1 and at == depth:
            if block.instructions[index + 1].op in _STORES and _stays(block, index + 2, at, depth):
                return index
        if instruction.op in ("SUBJECT", "CASE"):
            return None
        needed, pushed = effect_of(instruction.op, instruction.arg)
        at += pushed - needed
    return None


def _first_case(block: Block, starts: List[int]) -> Optional[Tuple[int, Found]]:
    for start in starts:
        found = find_case(block, start)
        if found is not None:
            return start, found
    return None


def _fold_chain(graph: Graph, block: Block, first: Tuple[int, Found], gone: Set[Block], split: Split) -> None:
    """Folds a case and those after it, as long as the subject is still on the stack.

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
        found.case.before_default = otherwise.offset - 2 in graph.folded  # a NOP that has the line of `case _:`
        gone.update(one for one in found.visited if one is not block)
        if found.case.pops:
            copies -= 1
        block = otherwise
        following = _first_case(block, [0, 1]) if copies >= 0 and block not in gone else None


def _possible_starts(block: Block) -> List[int]:
    if block.terminator.op != "BRANCH":
        # an or-pattern or a class without arguments may begin before a jump
        if not any(i.op == "COPY" for i in block.instructions):
            return []
    starts = []
    instructions = block.instructions
    for index, instruction in enumerate(instructions):
        if instruction.op == "COPY" and instruction.arg == 1:
            starts.append(index)
        elif instruction.op in _STARTS:
            starts.append(index)
        elif instruction.op == "MATCH_CLASS":
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
    for successor in set(block.successors):
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
    if not isinstance(lifter.stack[-1], Subject):
        _start_match(lifter, instruction)


def _start_match(lifter: Lifter, instruction: Instruction) -> Subject:
    on_stack = lifter.stack[-1]
    [value] = lifter.use([lifter.pop()])
    if isinstance(value, Copied) and value.value is not None and value.name is None:
        value = value.value
    subject = Subject(value, instruction.offset)
    lifter.stack = [subject if one is on_stack else one for one in lifter.stack]
    lifter.stack.append(subject)
    return subject


# ---------------------------------------------------------------- in the tree


def case_of(test: Expr) -> Optional[Case]:
    """The case that a branch tests for."""
    if isinstance(test, Test) and test.kind == "case":
        case: Case = test.extra
        return case
    return None


def make_match(branch: Branch, new_name: Callable[[], str]) -> List[Stmt]:
    """The `match` of a branch on a case; branches on further cases of the same subject are its other cases."""
    assert isinstance(branch.test, Test)
    subject = branch.test.operands[0]
    assert isinstance(subject, Subject)
    return _match(subject, [branch], branch.offset, new_name)


def make_match_of_capture(code: List[Stmt], index: int, new_name: Callable[[], str]) -> None:
    """The same where the first case takes everything under a guard: the subject is stored at `index`."""
    statement = code[index]
    assert isinstance(statement, Assign) and isinstance(statement.value, Subject)
    subject = statement.value
    if subject.match is not None:
        statement.value = _subject_name(subject, new_name)
        return
    branch = code[index + 1] if index + 1 < len(code) else None
    if isinstance(branch, Branch) and not branch.held and _tests_subject(branch.orelse, subject):
        code[index : index + 2] = _match(subject, [statement, branch], statement.offset, new_name)
        return
    subject.name = new_name()
    subject.match = Match(subject.value, [])  # it is evaluated here, and only named afterwards
    statement.targets.insert(0, Name(subject.name))
    statement.value = subject.value


def _match(subject: Subject, rest: List[Stmt], offset: int, new_name: Callable[[], str]) -> List[Stmt]:
    made = Match(_subject_value(subject, new_name), [], offset)
    if subject.match is None:
        subject.match = made
    behind: List[Stmt] = []
    current = _next_case(rest, subject, made)
    alternative: Optional[MatchCase] = None
    before_default = True
    while current is not None:
        alternative = _add_case(made, current, alternative)
        case = case_of(current.test)
        before_default = case is None or case.before_default or not case.pops
        rest = [s for s in current.orelse if not isinstance(s, HeldHere) or any(h.crossed for h in s.held)]
        if len(rest) > 1 and _tests_subject(rest, subject) and isinstance(rest[0], Branch):
            # what follows the other cases follows the whole match, if those before them do not go on
            if not any(falls_through(one.body) for one in made.cases):
                behind[:0] = rest[1:]
                del rest[1:]
        current = _next_case(rest, subject, made)
    if rest and not before_default and not any(falls_through(one.body) for one in made.cases):
        behind[:0] = rest
    elif rest:
        made.cases.append(_last_case(rest, subject))
    return [made, *behind]


def _add_case(made: Match, branch: Branch, alternative: Optional[MatchCase]) -> Optional[MatchCase]:
    """Adds the case that `branch` tests for. Returns it if the next one is an alternative to it."""
    from ..structuring.compare import same

    case = case_of(branch.test)
    assert case is not None
    body = branch.body or [Pass()]
    if alternative is not None and case.guard is None and same(alternative.body, body):
        alternative.pattern = MatchOr([*_alternatives(alternative.pattern), *_alternatives(case.pattern)])
    else:
        made.cases.append(MatchCase(case.pattern, case.guard, body))
    return made.cases[-1] if case.is_alternative and case.guard is None else None


def _alternatives(pattern: Pattern) -> List[Pattern]:
    return pattern.patterns if isinstance(pattern, MatchOr) else [pattern]


def _subject_value(subject: Subject, new_name: Callable[[], str]) -> Expr:
    if subject.match is None:
        return subject.value
    return _subject_name(subject, new_name)


def _subject_name(subject: Subject, new_name: Callable[[], str]) -> Name:
    """The subject again, behind the statement that evaluates it: through a name that it gets there."""
    assert subject.match is not None
    if subject.name is None:
        subject.name = new_name()
        subject.match.subject = NamedExpr(Name(subject.name), subject.match.subject, subject.offset)
    return Name(subject.name)


def _next_case(rest: List[Stmt], subject: Subject, made: Match) -> Optional[Branch]:
    """The branch on the next case; cases that take anything but for their guard are added on the way."""
    while True:
        if len(rest) > 1 and _decides_nothing(rest[0], subject):
            made.cases.append(_never_taken(rest.pop(0)))
            continue
        last = rest[-1] if rest else None
        if not isinstance(last, Branch):
            return None
        if len(rest) == 1 and case_of(last.test) is not None:
            return last if last.test.operands[0] is subject else None  # type: ignore[attr-defined]
        name = _captured(rest[0], subject) if len(rest) == 2 else None
        if len(rest) > 1 and name is None or last.held or not _tests_subject(last.orelse, subject):
            return None
        made.cases.append(MatchCase(MatchAs(None, name), last.test, last.body or [Pass()]))
        rest[:] = last.orelse


def _decides_nothing(statement: Stmt, subject: Subject) -> bool:
    """A case whose guard never holds: its pattern is tried all the same."""
    if not isinstance(statement, Branch) or statement.body or statement.orelse or statement.held:
        return False
    return _tests_subject([statement], subject)


def _never_taken(statement: Stmt) -> MatchCase:
    assert isinstance(statement, Branch)
    case = case_of(statement.test)
    assert case is not None
    guard = Const(False) if case.guard is None else make_and(case.guard, Const(False))
    return MatchCase(case.pattern, guard, [Pass()])


def _captured(statement: Stmt, subject: Subject) -> Optional[str]:
    if isinstance(statement, Assign) and statement.value is subject and len(statement.targets) == 1:
        target = statement.targets[0]
        return target.id if isinstance(target, Name) else None
    return None


def _tests_subject(code: List[Stmt], subject: Subject) -> bool:
    """Whether `code` begins by trying a case of `subject`."""
    first = code[0] if code else None
    if isinstance(first, Branch):
        return case_of(first.test) is not None and first.test.operands[0] is subject  # type: ignore[attr-defined]
    return first is not None and _captured(first, subject) is not None


def _last_case(rest: List[Stmt], subject: Subject) -> MatchCase:
    name = _captured(rest[0], subject)
    if name is not None:
        return MatchCase(MatchAs(None, name), None, rest[1:] or [Pass()])
    return MatchCase(MatchAs(None, None), None, rest)
