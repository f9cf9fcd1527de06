"""Conditional annotations: since 3.14 the compiler numbers them in the order in which it meets them, dead code included.

What the text would leave unnumbered is written where it is never reached: in the body of a `finally`, which is met several times
(`met`), as often as that is, so that how much of it is missing is searched for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Set, Tuple

from depyf.bytecode import graph_of
from depyf.bytecode.codes import CONDITIONAL_ANNOTATIONS

from ..structuring.compare import same
from ..structuring.walk import all_lists, child_lists
from ..tree import AnnAssign, Const, If, Name, Stmt, Try
from .left import places_of_tries, ways_to_leave
from .met import Final, Met, Order, Place, is_in_final
from .ordered import order_statements

if TYPE_CHECKING:
    from .annotated import Annotation

UNKNOWN = "_"  # the name of an annotation of which nothing but the number is left
_ATTEMPTS = 300  # at what may be missing from the bodies of `finally`


def number_annotations(
    body: Any, by_index: Dict[int, Annotation], numbers: Dict[int, int], copies: Dict[int, Dict[int, int]]
) -> None:
    """Adds what is missing to a body whose marks have become annotations; `numbers` has theirs, by identity, and `copies` those
    of their copies, by the offsets of jumps."""
    order_statements(body.statements, numbers)
    order = Order(numbers, copies)
    finals = order.finals(body.statements)
    if not finals and set(by_index) == set(numbers.values()):
        return
    search = _Search(body.statements, by_index, order)
    search.may_reach = _reached(body) if finals else set()
    if not search.solve(finals):
        search.attempts = 0
        for final in finals:
            search.settle_alone(final)
        search.fill_all()


class _Search:
    """What has to be written where nothing reaches it. `reached` are the numbers that the code adds somewhere, as far as is known;
    `may_reach`, all that it holds, some of them in handlers of what cannot raise."""

    def __init__(self, statements: List[Stmt], by_index: Dict[int, Annotation], order: Order) -> None:
        self.statements = statements
        self.by_index = by_index
        self.order = order
        self.reached = {*order.numbers.values(), *[n for copies in order.copies.values() for n in copies.values()]}
        self.may_reach: Set[int] = set()
        self.written: List[Tuple[List[Stmt], If]] = []
        self.tries = places_of_tries(statements)
        self.attempts = 0

    def solve(self, finals: List[Final], position: int = 0) -> bool:
        """Whether something fits in each of the bodies, from `position` on, so that all is numbered as it was."""
        if position == len(finals):
            return self.fill_all() and self._is_as_it_was()
        return any(self.solve(finals, position + 1) for _ in self._settled(finals[position]))

    def settle_alone(self, final: Final) -> None:
        """As well as can be told from the statement itself."""
        for _ in self._settled(final):
            return
        self._settle(final, next(self.candidates(final), None))

    def _settled(self, final: Final) -> Iterator[None]:
        """Each time it is asked, another way to write a statement that is numbered as it was, as far as it can be told from that."""
        before = len(self.written)
        statement, place = self.tries[id(final.body)]
        for _ in ways_to_leave(statement, place):
            for candidate in self.candidates(final):
                self.attempts += 1
                if self.attempts < _ATTEMPTS and self._settle(final, candidate) and self._fits(statement, final.around):
                    yield None
                self._undo(before)
                self.order.starts.pop(id(final.body), None)

    def _fits(self, statement: Try, around: Any) -> bool:
        """Whether a try can have the numbers that it had; copies of outer `finally` bodies are left out, and those may be reached."""
        expected: Optional[int] = None
        for part in self.order.parts([statement]):
            if expected is None and part.start is None:
                continue
            length = len(part.statements)
            wanted = part.start if part.start is not None else self._next_like(part, expected or 0)
            if expected is not None and wanted < expected:
                return False
            if expected is not None and not is_in_final(around) and not self.reached.isdisjoint(range(expected, wanted)):
                return False
            found = self.may_reach if part.reached else self.reached
            if part.reached is found.isdisjoint(range(wanted, wanted + length)):
                return False
            expected = wanted + length
        return True

    def candidates(self, final: Final) -> Iterator[Tuple[int, int]]:
        """Where the copy of a body in its handler may begin and end: before it is that behind the statement, which is alike."""
        parts = [*self.order.parts(final.body, final.around)]
        known = [n for n, part in enumerate(parts) if part.start is not None]
        if not known:
            return
        first, last = parts[known[0]], parts[known[-1]]
        assert first.start is not None and last.start is not None
        low = first.start - sum(len(part.statements) for part in parts[: known[0]])
        high = last.start + sum(len(part.statements) for part in parts[known[-1] :])
        total = len(self.by_index)
        for missing in range(total):
            for ahead in range(missing + 1):
                start, end = low - ahead, high + missing - ahead
                length = end - start
                if start >= length and end <= total and all(self._alike(n, n + length) for n in range(start - length, start)):
                    yield start, end

    def _settle(self, final: Final, candidate: Optional[Tuple[int, int]]) -> bool:
        """Writes what is missing from a body whose copy in the handler has these numbers."""
        if candidate is None:
            return False
        start, end = candidate
        self.order.starts[id(final.body)] = start
        return self._fill(final.body, final.around, start, end, Place(final.body, None))

    def fill_all(self) -> bool:
        return self._fill(self.statements, None, 0, len(self.by_index), None)

    def _fill(self, statements: List[Stmt], around: Any, start: int, end: int, behind: Optional[Place]) -> bool:
        """Writes what is missing from `statements`, which have the numbers from `start` to `end`; whether they can have those."""
        expected, fits = start, True
        place: Optional[Place] = None
        for part in [*self.order.parts(statements, around)]:
            place = part.place
            wanted = part.start if part.start is not None else self._next_like(part, expected)
            fits = fits and wanted >= expected
            self._write(range(expected, wanted), place)
            expected = max(expected, wanted + len(part.statements))
        self._write(range(expected, end), behind or _behind(self.statements, place))
        return fits and expected <= end

    def _write(self, numbers: range, place: Place) -> None:
        for number in numbers:
            annotation = self.by_index.get(number)
            if annotation is None:
                continue
            inner = AnnAssign(Name(annotation.name), annotation.value, None, True)
            made = If(Const(False), [inner], [])
            index = next((i for i, s in enumerate(place.inside) if s is place.before), len(place.inside))
            place.inside.insert(index, made)
            self.order.numbers[id(inner)] = number
            self.written.append((place.inside, made))

    def _undo(self, count: int) -> None:
        """Takes away all but the first `count` that were written."""
        while len(self.written) > count:
            inside, made = self.written.pop()
            del self.order.numbers[id(made.body[0])]
            inside.remove(made)

    def _is_as_it_was(self) -> bool:
        """Whether just the numbers that the code adds are those of annotations which something reaches."""
        unreached = {id(made.body[0]) for _, made in self.written}
        reached: Set[int] = set()
        number = 0
        for part in self.order.parts(self.statements):
            if part.reached:
                reached |= {n for n, s in enumerate(part.statements, number) if id(s) not in unreached}
            number += len(part.statements)
        return number == len(self.by_index) and self.reached <= reached <= self.may_reach

    def _next_like(self, part: Met, start: int) -> int:
        """The next number from which on annotations are like those of a copy, which something reaches if there are such."""
        length = len(part.statements)
        found = [
            n
            for n in range(start, len(self.by_index) - length + 1)
            if all(self._like(s, n + position) for position, s in enumerate(part.statements))
        ]
        return next((n for n in found if not self.may_reach.isdisjoint(range(n, n + length))), found[0] if found else start)

    def _like(self, statement: AnnAssign, number: int) -> bool:
        one = self.by_index.get(number)
        if one is None or not isinstance(statement.target, Name) or one.name not in (statement.target.id, UNKNOWN):
            return False
        return same(one.value, statement.annotation)

    def _alike(self, number: int, other: int) -> bool:
        one, two = self.by_index.get(number), self.by_index.get(other)
        if one is None or two is None:
            return one is two
        return (one.name == two.name or UNKNOWN in (one.name, two.name)) and same(one.value, two.value)


def _reached(body: Any) -> Set[int]:
    """The numbers of the annotations that something reaches, in all copies."""
    found: Set[int] = set()
    for block in graph_of(body.code).blocks:
        for before, number, add in zip(block.instructions, block.instructions[1:], block.instructions[2:]):
            if add.op == "SET_ADD" and number.op == "CONST" and before.arg == CONDITIONAL_ANNOTATIONS:
                found.add(number.arg)
    return found


def _behind(statements: List[Stmt], place: Optional[Place]) -> Place:
    """Behind the statement in which a place is."""
    for statement, following in zip(statements, statements[1:]):
        if place is not None and any(current is place.inside for inside in child_lists(statement) for current in all_lists(inside)):
            return Place(statements, following)
        if place is not None and statement is place.before:
            return Place(statements, following)
    return Place(statements, None)
