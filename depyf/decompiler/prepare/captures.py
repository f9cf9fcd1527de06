"""Cases that take everything under a guard: `case x if g`, `case _ if g`. Only what lies on the stack meanwhile, the subject,
tells such a case from an `if`: where the guard holds it is dropped, and where it does not, the next case is tried on it.
"""

from __future__ import annotations

from typing import Callable, Iterable, Iterator, List, Optional, Set, Tuple

from depyf.bytecode.canonical import Block, Graph, Instruction
from depyf.bytecode.codes import is_function

from .depths import FIXED_EFFECTS, effect, lowest_depth
from .matching import Found, find_case
from .ways import past_jumps

STORES = frozenset(("STORE_LOCAL", "STORE_NAME", "STORE_GLOBAL", "STORE_CELL"))
_STORED = STORES | {"POP"}
_FOLDED = frozenset(("CASE", "SUBJECT"))
_HANDLERS_BEGIN = frozenset(("PUSH_EXC", "EXC_ENTER"))
_LONGEST_GUARD = 60  # in blocks
_LONGEST_RETURN = 10  # in blocks: what one return leaves on its way


Subjects = List[Tuple[int, int]]  # positions in a block, and how deep the stack is there


def behind_first_guard(block: Block, subjects: Subjects) -> Tuple[Block, Optional[Tuple[int, Found]]]:
    """The first case with a pattern of a match whose first case has a guard and none; it may be a plain comparison."""
    for start, depth in subjects:
        following, found = _behind_guards(block, start, depth)
        behind = _behind_captures(block, start)
        if found is None and behind > start:  # without a capture, it may be a comparison with a choice
            following, found = _behind_tests_for_nothing(block, behind, depth)
        if found is not None:
            return following, found
    return block, None


def behind_guards(block: Block) -> Tuple[Block, Optional[Tuple[int, Found]]]:
    """The next case with a pattern where the subject is on top of the stack, but cases come first that have none."""
    following, found = _behind_guards(block, 0, block.depth)
    if found is None:
        return _behind_tests_for_nothing(block, _behind_captures(block, 0), block.depth)
    return following, found


def _behind_tests_for_nothing(block: Block, start: int, depth: int) -> Tuple[Block, Optional[Tuple[int, Found]]]:
    """The same behind guards that are tested and never hold."""
    following, passed = block, {block}
    while _stays(following, start, depth, depth):
        others = _behind_what_never_holds(following, depth, lambda one: find_case(one, 0) is not None)
        if others is None or others[0] in passed:
            break
        following = others[0]
        passed.add(following)
        case = find_case(following, 0)
        if case is not None:
            return following, (0, case)
        following, found = _behind_guards(following, 0, depth)
        if found is not None:
            return following, found
        start = _behind_captures(following, 0)
    return block, None


def _behind_guards(block: Block, start: int, depth: int) -> Tuple[Block, Optional[Tuple[int, Found]]]:
    """A guard that never holds leaves nothing but the name that was stored."""
    while _is_capture(block, start):
        following, _ = past_jumps((block, start + 2))
        if following is not block and len(following.predecessors) > 1:
            break  # a walrus at the end of one of several ways to the subject
        start += 2
        found = find_case(block, start)
        if found is not None:
            return block, (start, found)
    if _stays(block, start, depth, depth):
        for other in dict.fromkeys(past_jumps((one, 0))[0] for one in _reached_at(block, depth) or ()):
            found = find_case(other, 0)  # which several jumps may lead to
            if found is not None:
                return other, (0, found)
    return block, None


def subjects_in(block: Block) -> Subjects:
    """Where in a block the first value of a statement is complete that is left alone from there on, but for being stored, and
    how deep the stack is there."""
    following = block.successors[0] if block.terminator.op in ("FALL", "JUMP") else None
    only_jumps = following is not None and len(block.instructions) == 1
    several = len(block.predecessors) > 1 and not only_jumps  # the subject may be a choice of two
    # a walrus at the end of one of several ways to the subject
    joins = following is not None and following.depth <= block.depth and len(following.predecessors) > 1
    found: Subjects = []
    if not joins and (_is_capture(block, 0) or several and all(_makes_value(p, block.depth) for p in block.predecessors)):
        found.append((0, block.depth))
    for start, at in _kept_values(block):
        if following is None or following.depth > at or len(following.predecessors) < 2:
            found.append((start, at))
        break
    return found


def _kept_values(block: Block) -> Iterator[Tuple[int, int]]:
    """Where in a block the first value of a statement is complete that is still there at its end; with how deep the stack is."""
    left = max([target.depth for target in block.successors], default=0)  # the most that is there behind it
    if left < 1:
        return
    at = lowest = block.depth
    starts: Subjects = []
    floors: List[int] = []  # what each instruction leaves alone
    fixed = FIXED_EFFECTS.get
    for index, instruction in enumerate(block.instructions):
        if at == lowest + 1 <= left and index:
            starts.append((index, at))
        needed, pushed = fixed(instruction.op) or effect(instruction)
        floor = at - needed
        floors.append(floor)
        at = floor + pushed
        if floor < lowest:
            lowest = floor
        if instruction.op in _HANDLERS_BEGIN:
            lowest = at
    for start, at in starts:
        if min(floors[_behind_captures(block, start) :], default=at) >= at:
            yield start, at


def _makes_value(block: Block, depth: int) -> bool:
    """Whether a block leaves a value of its own at `depth`, and not the subject of a match that goes on behind it."""
    for one in block.predecessors if len(block.instructions) == 1 and block.successors else [block]:
        known = any(i.op in ("CASE", "SUBJECT") for i in one.instructions)
        if known or lowest_depth(one, len(one.instructions)) >= depth:
            return False
    return True


def _behind_captures(block: Block, start: int) -> int:
    while _is_capture(block, start):
        start += 2
    return start


def _is_capture(block: Block, index: int) -> bool:
    """Whether a copy is stored there. `case _` leaves a copy that is dropped, before 3.12."""
    if index + 1 >= len(block.instructions):
        return False
    instruction = block.instructions[index]
    return instruction.op == "COPY" and instruction.arg == 1 and block.instructions[index + 1].op in _STORED


def _stays(block: Block, start: int, at: int, depth: int) -> bool:
    """Whether what lies at `depth` is left alone from `start` on, where the stack is `at` deep."""
    return _depth_behind(block.instructions[start:], at, depth) is not None


def _depth_behind(instructions: List[Instruction], at: int, depth: int) -> Optional[int]:
    """How deep the stack is behind some instructions; None if they take what lies at `depth`."""
    for instruction in instructions:
        needed, pushed = effect(instruction)
        if at - needed < depth:
            return None
        at += pushed - needed
    return at


def _reached_at(block: Block, depth: int) -> Optional[List[Block]]:
    """The blocks to which a guard may lead, with the subject still on top of the stack. None if it is no guard."""
    found: List[Block] = []
    drops = False  # where the guard holds, the subject is dropped
    work, seen = [block], {block}
    while work and len(seen) < _LONGEST_GUARD:
        for jump in work.pop().successors:
            target = past_jumps((jump, 0))[0]  # other ways lead there, too
            if target.depth == depth and _first_instruction(target).op == "POP":
                drops = True
            elif target not in seen and target.depth > depth:  # the guard chooses between values
                seen.add(target)
                if _stays(target, 0, target.depth, depth):
                    work.append(target)
            elif target not in seen and target.depth == depth:
                seen.add(target)
                found.append(target)
                if _is_tested(target, depth) and _stays(target, _behind_captures(target, 0), depth, depth):
                    work.append(target)
    return found if drops else None


def _behind_what_never_holds(block: Block, depth: int, is_case: Callable[[Block], bool]) -> Optional[List[Block]]:
    """The next case, if a guard leads nowhere else, whatever its tests say: one with a pattern, or one that stores the subject."""
    found: Set[Block] = set()
    work, seen = [block], {block}
    while work and len(seen) < _LONGEST_GUARD:
        for jump in work.pop().successors:
            target = past_jumps((jump, 0))[0]
            if target in seen:
                continue
            seen.add(target)
            if target.depth == depth and (_is_capture(target, 0) or is_case(target)):
                found.add(target)
            elif not _stays(target, 0, target.depth, depth) or target.depth == depth and not _is_tested(target, depth):
                return None
            else:
                work.append(target)
    tested = any(one.terminator.op == "BRANCH" for one in seen - found)
    return list(found) if tested and len(found) == 1 and not work else None


def _is_tested(block: Block, depth: int) -> bool:
    """Whether a block ends in a test, or in something else that a guard is made of."""
    return block.terminator.op == "BRANCH" or any(target.depth > depth for target in block.successors)


def _first_instruction(block: Block) -> Instruction:
    block, position = past_jumps((block, 0))
    return block.instructions[position]


def mark_subjects(graph: Graph, asked: Iterable[Tuple[Block, Optional[Subjects]]]) -> None:
    """Puts SUBJECT where a match begins whose first case has a guard and no pattern. The others are known by their CASE.

    `asked` are the blocks, with what `subjects_in` said of them before, if it was asked."""
    further: Set[Block] = set()  # cases of a match that has begun
    marked = False
    for block, known in asked:
        if not _FOLDED.isdisjoint([i.op for i in block.instructions]):
            continue
        subjects = subjects_in(block) if marked or known is None else known  # what is marked is no value any more
        for start, depth in subjects:
            behind = _behind_captures(block, start)
            stays = _stays(block, behind, depth, depth)
            others = _reached_at(block, depth) if stays else None
            if stays and others is None:
                others = _behind_what_never_holds(block, depth, lambda one: _first_instruction(one).op == "CASE")
            if len(block.successors) == 1 and not others:
                continue  # nothing is tested before it is dropped
            # a value that is dropped whatever the test says may be one that a `finally` lets go, or the iterator of a loop
            only_match = others is not None and (behind > start or start > 0 and not is_function(graph.code))
            only_match = only_match and not any(_returns_it(other, depth) for other in others or ())
            only_match = only_match and (bool(others) or _is_tested(block, depth))  # else it is (a := b), which is dropped
            if only_match or any(_goes_on(other) for other in others or ()):
                further.update(others or ())
                if not start and block in further:
                    break
                mark = Instruction("SUBJECT", None, block.instructions[start].offset, block.instructions[start].line)
                block.instructions = [*block.instructions[:start], mark, *block.instructions[start:]]
                marked = True
                break


def _returns_it(block: Block, depth: int) -> bool:
    """Whether what lies at `depth` is returned there: a walrus in a `return` that a `finally` may drop, and no subject. What the
    return leaves on its way, such as a `with`, lies below it: it is swapped to the place of that."""
    at = block.depth
    for _ in range(_LONGEST_RETURN):
        for instruction in block.instructions:
            if instruction.op == "RETURN":
                return at == depth
            needed, pushed = effect(instruction)
            if instruction.op == "SWAP" and depth in (at, at - instruction.arg + 1):
                depth = 2 * at - instruction.arg + 1 - depth
            elif instruction.op != "SWAP" and at - needed < depth:
                return False
            at += pushed - needed
        if len(block.successors) != 1:
            return False
        block = block.successors[0]
    return False


def _goes_on(block: Block) -> bool:
    """Whether a block begins with a further case for what lies on the stack."""
    return block.instructions[0].op in STORES or block.instructions[0].op == "CASE" or _is_capture(block, 0)
