"""What a try body jumps to: the copies of a clean-up that the compiler put on every way out, taken away, and what is left inlined."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import Container, Dict, List, Optional, Set, Tuple

from ..lifting.values import Held
from ..marks import Lines
from ..tree import Const, Return, Stmt, Try, With
from .compare import same
from .falling import all_fall, lead_to_one_place
from .jumps import AnnotationMark, Branch, HeldHere, Jump, Label
from .labels import ending_at, hand_on
from .logic import negate
from .short_endings import builds_display, is_short_ending
from .walk import all_lists, child_lists, falls_through, keep_held, labels_in


class Followers(List[Tuple[Label, List[Stmt]]]):
    """The labelled codes that will stand behind a try; there may be as many as it has clauses, each of which asks for few.

    `lines` is by offset, and `dropped` the line of what a block drops last, by the offset of its end; empty where lines mean nothing.
    `written` are the lines on which nothing but a jump stands.
    `may_return`: in a function, and in no clause of an except*; `copies_tell` whether each way out of a `with` is that of a statement
    of its own."""

    def __init__(
        self,
        codes: List[Tuple[Label, List[Stmt]]],
        lines: Lines,
        dropped: Dict[int, int],
        written: Container[Optional[int]],
        may_return: bool,
        copies_tell: bool,
    ) -> None:
        super().__init__(codes)
        self.lines = lines
        self.written = written
        self.dropped = dropped
        self.may_return = may_return
        self.copies_tell = copies_tell

    def keep_written(self, exits: List[Tuple[Label, List[Stmt]]]) -> None:
        """What leaves a `with` by a statement is not to become falling off the end of its body."""
        if len(exits) > 1 and self.copies_tell:
            keep_continues(exits)
            if self.may_return:
                keep_returns(exits)

    def is_written(self, label: Label) -> bool:
        """Whether nothing leads to a label but what has the line of a jump."""
        return all(before.terminator.line in self.written for before in label.block.predecessors)

    def leave_behind(self, body: List[Stmt], cleaned: List[Tuple[Label, List[Stmt]]], copied: List[Stmt]) -> None:
        """A `break` that the end of a try's body leads to stays behind the try, if what drops the iterator has a line behind all of
        `copied`, the clean-up. Where the `break` stood in the body, that has no line of its own, but of a `pass` at the end of the
        clean-up: then other ways may go on behind the try. A `return` takes its value along."""
        ends = [rest[0] if len(rest) == 1 else None for _, rest in cleaned] if self.dropped else []
        if len(cleaned) > 1 and not all(is_short_ending(rest, label) for label, rest in cleaned):
            return
        last = 0
        fallen: Dict[Label, List[Tuple[Label, List[Stmt]]]] = {}
        for (label, rest), jump in zip(cleaned, ends):
            if isinstance(jump, Jump) and jump.offset in self.dropped and not any(isinstance(v, Held) for v in jump.stack):
                last = last or max([self.lines.get(s.offset) or 0 for current in all_lists(copied) for s in current] or [0])
                if self.dropped[jump.offset] > last > 0:
                    label.fallen_to = all_fall(body, label)
                    if label.fallen_to and not label.entry_parameters():
                        fallen.setdefault(jump.label, []).append((label, rest))
        for onward, several in fallen.items():  # one place, wherever the compiler repeated it
            lead_to_one_place(body, [label for label, _ in several])
            for _, rest in several[1:]:
                rest.clear()
                onward.uses -= 1

    @cached_property
    def position(self) -> Dict[Label, int]:
        return {label: position for position, (label, _) in enumerate(self)}

    def reached_from(self, body: List[Stmt]) -> List[Tuple[Label, List[Stmt]]]:
        """Those that something in `body` jumps to, in their order."""
        return [self[place] for place in sorted([self.position[one] for one in labels_in(body) if one in self.position])]

    def led_to(self, code: List[Stmt]) -> Set[Label]:
        """The labels that `code` jumps to, also by way of others at which only a jump stands."""
        found: Set[Label] = set()
        while len(code) == 1 and isinstance(code[0], Jump) and code[0].label not in found:
            found.add(code[0].label)
            place = self.position.get(code[0].label)
            code = self[place][1] if place is not None else []
        return found


def strip_exits(body: List[Stmt], followers: Followers, copied: List[Stmt], count: int) -> bool:
    """Takes the copy of `copied` away from the beginning of everything that `body` jumps to."""
    if not count:
        return True
    found = []
    if any(label not in followers.position for label in labels_in(body)):
        return False  # what stands there begins with a copy as well, but is not at hand
    for label, code in followers.reached_from(body):
        if label.uses:
            rest = match_copy(copied, Rest(code))
            if rest is None:
                return False
            found.append((label, code, rest))
    marks = _marks(copied)
    numbers = [_marks(code[: max(len(code) - len(rest), 1)]) if marks else [] for _, code, rest in found]
    for _, code, rest in found:
        _forget_copy(code, rest)
    cleaned = [(label, code) for label, code, _ in found]
    keep_continues(cleaned, [label for label, _ in cleaned if followers.is_written(label)])
    followers.leave_behind(body, cleaned, copied)
    if marks:
        _ask_numbers(body, marks, cleaned, numbers)
        note_numbers(
            body,
            copied,
            {
                id(label): ({mine.index: theirs.index for mine, theirs in zip(marks, other)}, other[0].offset)
                for (label, _), other in zip(cleaned, numbers)
                if other and len(other) == len(marks)
            },
        )
    inline_endings(body, followers)
    return True


def _marks(code: List[Stmt]) -> List[AnnotationMark]:
    return [s for current in all_lists(code) for s in current if isinstance(s, AnnotationMark)]


def _ask_numbers(
    body: List[Stmt],
    marks: List[AnnotationMark],
    cleaned: List[Tuple[Label, List[Stmt]]],
    numbers: List[List[AnnotationMark]],
) -> None:
    """Conditional annotations are numbered copy by copy: that behind the try comes right before that of the handler, which has
    `marks`, and those of jumps that stand in the body come before it."""
    for (label, rest), numbered in zip(cleaned, numbers):
        jump = rest[0] if len(rest) == 1 else None
        if isinstance(jump, Jump) and numbered:
            behind = min(mark.index for mark in numbered) == min(mark.index for mark in marks) - len(marks)
            label.fallen_to = behind and all_fall(body, label)
            jump.certain = not behind


def note_numbers(body: List[Stmt], copied: List[Stmt], numbers: Dict[int, Tuple[Dict[int, int], int]]) -> None:
    """The annotations of a clean-up keep the numbers of their copies, by the offsets of the jumps in `body` to those. `numbers` has
    them by the identity of labels and their own numbers, and the offsets of the copies."""
    jumps = [s for current in all_lists(body) for s in current if isinstance(s, Jump) and id(s.label) in numbers] if numbers else []
    places = Counter(offset for offset, _ in {(jump.offset, id(jump.label)) for jump in jumps})
    for jump in jumps:
        theirs, offset = numbers[id(jump.label)]
        if places[jump.offset] > 1:  # those of a branch have its offset
            jump.offset = offset
        for mark in _marks(copied):
            if mark.index in theirs:
                mark.copies[jump.offset] = theirs[mark.index]


def keep_continues(exits: List[Tuple[Label, List[Stmt]]], written: Container[Label] = ()) -> None:
    """Of several copies that go on at the head of a loop, the last is that of the statement's end, each other of a `continue`; and so
    is one to which only `written` jumps lead: since 3.12 clauses are laid out behind the statement's end."""
    leading: Dict[Label, List[Tuple[bool, int, Jump]]] = {}
    for label, rest in exits:
        only = rest[0] if len(rest) == 1 else None
        if isinstance(only, Jump) and only.back:
            leading.setdefault(only.label, []).append((label not in written, label.block.offset, only))
    for jumps in leading.values():
        last = max(jumps, key=lambda copy: copy[:2])
        for copy in jumps:
            copy[2].certain = copy[2].certain or copy is not last


def keep_returns(exits: List[Tuple[Label, List[Stmt]]]) -> None:
    """Of several copies that go on where nothing is left but to return None, the last is that of the statement's end, each other of a
    `return`, which is not to become falling off the end."""
    leading: Dict[Label, List[Tuple[int, List[Stmt]]]] = {}
    for label, rest in exits:
        only = rest[0] if len(rest) == 1 else None
        if isinstance(only, Jump) and [(i.op, i.arg) for i in only.label.block.instructions] == _RETURNS_NONE:
            leading.setdefault(only.label, []).append((label.block.offset, rest))
    for onward, copies in leading.items():
        last = max(place for place, _ in copies)
        for place, rest in copies:
            if place < last:
                rest[:] = [Return(Const(None), rest[0].offset)]
                onward.uses -= 1


_RETURNS_NONE = [("CONST", None), ("RETURN", None)]


class Rest:
    """What remains of some code: a list from a position on. It may be all of a long function, so it is not copied to be looked at.

    `joined`: put together from several lists of the tree, and no list of it."""

    __slots__ = ("code", "start", "joined")

    def __init__(self, code: List[Stmt], start: int = 0, joined: bool = False) -> None:
        self.code = code
        self.start = start
        self.joined = joined

    def __len__(self) -> int:
        return len(self.code) - self.start

    def statements(self) -> List[Stmt]:
        return self.code[self.start :]

    def falls_through(self) -> bool:
        return not len(self) or falls_through(self.code)

    def before(self, after: Rest) -> Rest:
        """This, and what follows it where control gets there."""
        if not len(after) or not self.falls_through():
            return self
        return Rest([*self.statements(), *after.statements()], 0, True) if len(self) else after


def _forget_copy(code: List[Stmt], rest: Rest) -> None:
    """Leaves of `code` what remains behind a copy; the jumps of what is taken away are no uses any more."""
    kept = {id(s) for s in rest.code} if rest.joined else ()
    work = [code]
    while work:
        current = work.pop()
        gone = current[: rest.start] if current is rest.code else [s for s in current if id(s) not in kept] if kept else current
        for statement in gone:
            if isinstance(statement, Jump):
                statement.label.uses -= 1
            work += child_lists(statement)
    if rest.code is code:
        del code[: rest.start]
    else:
        code[:] = rest.statements()


def match_copy(copied: List[Stmt], code: Rest) -> Optional[Rest]:
    """What remains of `code` behind a copy of `copied`; None if it does not begin with one."""
    statements, position = code.code, code.start
    for index, statement in enumerate(copied):
        while position < len(statements) and isinstance(statements[position], HeldHere):
            position += 1
        if position >= len(statements):
            return None
        if not same(statement, statements[position]):
            return _match_arms(copied[index:], Rest(statements, position, code.joined))
        position += 1
    return Rest(statements, position, code.joined)


def _match_arms(copied: List[Stmt], code: Rest) -> Optional[Rest]:
    """A statement whose arms may hold what follows it in the copy, and what follows the copy."""
    behind, after = copied[1:], Rest(code.code, code.start + 1, code.joined)
    pairs = _arms(copied[0], code.code[code.start])
    if pairs is None:
        return None
    own: List[Rest] = []  # what stands in an arm
    for mine, theirs in pairs:
        if not falls_through(mine):
            if not same(mine, theirs):
                return None
            continue
        rest = match_copy(mine, Rest(theirs))
        if rest is None:
            return None
        own.append(rest)
    if isinstance(copied[0], With):  # an exception may have been suppressed
        own.append(Rest([]))
    found = [match_copy(behind, rest.before(after)) for rest in own]  # and what follows on that way
    first = found[0] if found else None
    if first is None or any(one is None or not same(first.statements(), one.statements()) for one in found[1:]):
        return None
    return found[next((n for n, rest in enumerate(own) if rest.falls_through()), 0)]


def _arms(statement: Stmt, other: Stmt) -> Optional[List[Tuple[List[Stmt], List[Stmt]]]]:
    """The arms of two statements that are the same but for them."""
    if isinstance(statement, Branch) and isinstance(other, Branch) and same(statement.test, other.test):
        return [(statement.body, other.body), (statement.orelse, other.orelse)]
    if isinstance(statement, Branch) and isinstance(other, Branch) and same(statement.test, negate(other.test)):
        return [(statement.body, other.orelse), (statement.orelse, other.body)]
    if isinstance(statement, With) and isinstance(other, With) and same(statement.items, other.items):
        return [(statement.body, other.body)]
    if isinstance(statement, Try) and isinstance(other, Try) and _same_clauses(statement, other):
        pairs = [(statement.orelse or statement.body, other.orelse or other.body)]
        return pairs + [(a.body, b.body) for a, b in zip(statement.clauses, other.clauses)]
    return None


def _same_clauses(one: Try, other: Try) -> bool:
    if len(one.clauses) != len(other.clauses) or not same(one.finalbody, other.finalbody):
        return False
    if bool(one.orelse) != bool(other.orelse) or one.orelse and not same(one.body, other.body):
        return False
    return all(same(a.pattern, b.pattern) and a.name == b.name for a, b in zip(one.clauses, other.clauses))


def inline_all_endings(body: List[Stmt], followers: Followers) -> None:
    """The same again and again, since an ending may lead to another."""
    for _ in followers:
        if not inline_endings(body, followers):
            break


def inline_endings(body: List[Stmt], followers: Followers, behind: Container[Label] = ()) -> bool:
    """`return` and jumps that the copy stood before go back to where they were written; whether there were any.

    `behind` are the labels of what stands behind the statement."""
    endings: Dict[Label, Stmt] = {}
    work = followers.reached_from(body)
    while work:
        label, code = work.pop()
        if label in endings or label in behind or not label.uses:
            continue
        if is_short_ending(code, label) and not _was_behind(code[0], label):
            endings[label] = code[0]
            work += followers.reached_from(code)
    if not endings:
        return False
    replaced: Set[Label] = set()
    order = followers.position
    for current in all_lists(body):
        for index in range(len(current) - 1, -1, -1):
            statement = current[index]
            passed = -1
            while isinstance(statement, Jump) and statement.label in endings:
                label = statement.label
                if order[label] <= passed:
                    break  # an ending may lead to another one, but only forwards
                passed = order[label]
                label.uses -= 1
                replaced.add(label)
                held = keep_held(statement)  # before the ending takes its value
                statement = ending_at(endings[statement.label], statement)
                current[index : index + 1] = [*held, statement]
                index += len(held)
    for label in replaced:
        ending = endings[label]
        if isinstance(ending, Jump) and not label.uses:
            ending.label.uses -= 1  # the ending itself is gone
            hand_on(label, ending.label)
    return bool(replaced)


def _was_behind(ending: Stmt, label: Label) -> bool:
    """The end of the function, or a return of a display, which would have been built before the copy."""
    value = ending.value if isinstance(ending, Return) else None
    return isinstance(value, Const) and value.value is None or builds_display(ending, label)
