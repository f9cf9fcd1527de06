"""Conditional annotations: since 3.14 the compiler numbers them in the order in which it meets them, dead code included.

It meets a `finally` body once for each `break` and `continue` out of its `try`, once behind it and once in its handler. What the
text would leave unnumbered is written where it is never reached.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

from ..structuring.compare import same
from ..structuring.logic import negate
from ..structuring.walk import LOOPS, all_lists, child_lists
from ..tree import AnnAssign, Break, Const, Continue, If, Name, Stmt, Try

if TYPE_CHECKING:
    from .annotated import Annotation

UNKNOWN = "_"  # the name of an annotation of which nothing but the number is left
_Around = Any  # None, or (a `finally` body, or None for a loop, and what is around it)


class _Place(NamedTuple):
    """Where something can be written that is numbered before something else: before a statement, or at a list's end."""

    inside: List[Stmt]
    before: Optional[Stmt]


class _Met(NamedTuple):
    """An annotation as the compiler will meet it: its number, where that is known, and a place right before it."""

    statement: AnnAssign
    number: Optional[int]
    place: _Place


def number_annotations(body: Any, by_index: Dict[int, Annotation], numbers: Dict[int, int]) -> None:
    """Adds what is missing to a body whose marks have become annotations; `numbers` has theirs, by identity."""
    _order_branches(body.statements, numbers)
    if set(by_index) == set(numbers.values()):
        return
    expected = 0
    last: Optional[_Place] = None
    for statement, number, place in [*_Order(numbers).of(body.statements)]:
        last = place
        wanted = number if number is not None else _next_like(statement, by_index, expected)
        while expected < wanted and expected in by_index:
            _write_unreached(by_index[expected], place)
            expected += 1
        expected = max(expected, wanted + 1)
    behind = _behind(body.statements, last)
    for number in sorted(n for n in by_index if n >= expected):
        _write_unreached(by_index[number], behind)


def _order_branches(statements: List[Stmt], numbers: Dict[int, int]) -> None:
    """Of two branches, the one that was met first stands first."""
    for current in all_lists(statements) if len(numbers) > 1 else ():
        for one in current:
            if isinstance(one, If) and one.orelse:
                first, second = _numbers_in(one.body, numbers), _numbers_in(one.orelse, numbers)
                if first and second and min(first) > max(second):
                    one.test, one.body, one.orelse = negate(one.test), one.orelse, one.body


def _numbers_in(statements: List[Stmt], numbers: Dict[int, int]) -> List[int]:
    return [numbers[id(s)] for current in all_lists(statements) for s in current if id(s) in numbers]


def _next_like(statement: AnnAssign, by_index: Dict[int, Annotation], start: int) -> int:
    """The next number whose annotation is like this one."""
    for number in range(start, len(by_index)):
        one = by_index.get(number)
        if one is not None and isinstance(statement.target, Name) and one.name in (statement.target.id, UNKNOWN):
            if same(one.value, statement.annotation):
                return number
    return start


def _write_unreached(annotation: Annotation, place: _Place) -> None:
    made = If(Const(False), [AnnAssign(Name(annotation.name), annotation.value, None, True)], [])
    inside, before = place
    index = next((i for i, s in enumerate(inside) if s is before), len(inside))
    inside.insert(index, made)


def _behind(statements: List[Stmt], place: Optional[_Place]) -> _Place:
    """Behind the statement in which a place is."""
    for statement, following in zip(statements, statements[1:]):
        if place is not None and any(current is place.inside for inside in child_lists(statement) for current in all_lists(inside)):
            return _Place(statements, following)
        if place is not None and statement is place.before:
            return _Place(statements, following)
    return _Place(statements, None)


class _Order:
    """The annotations of statements in the order in which they are numbered."""

    def __init__(self, numbers: Dict[int, int]) -> None:
        self.numbers = numbers

    def of(self, statements: List[Stmt], around: _Around = None, place: Optional[_Place] = None) -> Iterator[_Met]:
        """`place`: that of the copy in which all of this is met."""
        work: List[Tuple[Any, List[Stmt], _Around]] = [(s, statements, around) for s in reversed(statements)]
        while work:
            one, inside, around = work.pop()
            if isinstance(one, AnnAssign):
                if one.simple:
                    yield _Met(one, self.numbers.get(id(one)), place or _Place(inside, one))
            elif isinstance(one, (Break, Continue)):
                yield from self._left(around, place or _Place(inside, one))
            elif isinstance(one, _Final):
                yield from self._cleaned_up(one, around, place or _Place(one.last, None))
            elif isinstance(one, Try):
                if self._holds(one.finalbody):
                    work.append((_Final(one), inside, around))
                    around = (one.finalbody, around)
                for current in _parts(one)[::-1]:
                    work += [(s, current, around) for s in reversed(current)]
            else:
                for current in child_lists(one)[::-1]:
                    loops = isinstance(one, LOOPS) and current is one.body
                    work += [(s, current, (None, around) if loops else around) for s in reversed(current)]

    def _left(self, around: _Around, place: _Place) -> Iterator[_Met]:
        """A copy of each `finally` body between a jump and its loop."""
        while around is not None and around[0] is not None:
            final, around = around
            for met in self.of(final, around, place):
                yield met._replace(number=None)

    def _cleaned_up(self, one: _Final, around: _Around, place: _Place) -> Iterator[_Met]:
        """The copy behind the statement, and right after it that of the handler, which is the one that has marks."""
        handled = [*self.of(one.body, around, place)]
        for met in handled:
            yield met if met.number is None else met._replace(number=met.number - len(handled))
        yield from handled

    def _holds(self, statements: List[Stmt]) -> bool:
        return any(id(s) in self.numbers for current in all_lists(statements) for s in current)


class _Final:
    """The end of a try with a `finally`."""

    def __init__(self, statement: Try) -> None:
        self.body = statement.finalbody
        self.last = _parts(statement)[-1]


def _parts(statement: Try) -> List[List[Stmt]]:
    """What the compiler meets of a try before its `finally`, in order."""
    clauses = [clause.body for clause in statement.clauses]
    orelse = [statement.orelse] if statement.orelse else []
    return [statement.body, *clauses, *orelse] if statement.star else [statement.body, *orelse, *clauses]
