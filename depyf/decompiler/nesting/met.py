"""The order in which the compiler meets annotations: it meets a `finally` body once for each `break` and `continue` out of its
`try`, once behind it and once in its handler. Code that nothing reaches is met like any other.
"""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

from ..structuring.walk import LOOPS, all_lists, child_lists, falls_through
from ..tree import AnnAssign, Break, Const, Continue, If, Stmt, Try

_Around = Any  # None, or (a `finally` body, or None for a loop, and what is around it)


class Place(NamedTuple):
    """Where something can be written that is numbered before something else: before a statement, or at a list's end."""

    inside: List[Stmt]
    before: Optional[Stmt]


class Met(NamedTuple):
    """Annotations as the compiler will meet them, one or those of a copy: the number of the first, where that is known, a
    place right before it, and whether something reaches the copy."""

    statements: List[AnnAssign]
    start: Optional[int]
    place: Place
    reached: bool = True


class Final(NamedTuple):
    """The body of a `finally`, what is around the statement, and whether something falls off the end of that."""

    body: List[Stmt]
    around: _Around
    reached: bool


def is_in_final(around: _Around) -> bool:
    """Whether a jump to the loop around leaves a try with a `finally`."""
    return around is not None and around[0] is not None


class Order:
    """`numbers` are those of annotations, by identity; those in a `finally` body are of the copy in its handler, and `copies` has
    those of copies before jumps, by the offsets of the jumps. `starts` has the first number of a handler's copy, where it is known,
    by the identity of the body."""

    def __init__(self, numbers: Dict[int, int], copies: Dict[int, Dict[int, int]]) -> None:
        self.numbers = numbers
        self.copies = copies
        self.starts: Dict[int, int] = {}

    def finals(self, statements: List[Stmt], around: _Around = None) -> List[Final]:
        """The bodies of `finally` that hold annotations, inner ones first."""
        outer: List[Final] = []
        for _ in self.parts(statements, around, outer):
            pass
        return [one for final in reversed(outer) for one in (*self.finals(final.body, final.around), final)]

    def parts(self, statements: List[Stmt], around: _Around = None, finals: Optional[List[Final]] = None) -> Iterator[Met]:
        """What is met, in order. `finals` gets the bodies of all `finally` in the statements, but for those in such a body."""
        work: List[Tuple[Any, List[Stmt], _Around]] = [(s, statements, around) for s in reversed(statements)]
        while work:
            one, inside, around = work.pop()
            if isinstance(one, AnnAssign):
                if one.simple:
                    yield Met([one], self.numbers.get(id(one)), Place(inside, one))
            elif isinstance(one, (Break, Continue)):
                yield from self._left(around, Place(inside, one), one.offset)
            elif isinstance(one, Final):
                yield from self._cleaned_up(one, Place(inside, None))
            elif isinstance(one, Try):
                lists = _parts(one)
                if self._holds(one.finalbody):
                    leaving = [one.orelse or one.body, *[clause.body for clause in one.clauses]]
                    final = Final(one.finalbody, around, one.star or any(map(_falls, leaving)))
                    if finals is not None:
                        finals.append(final)
                    work.append((final, lists[-1], around))
                    around = (one.finalbody, around)
                for current in lists[::-1]:
                    work += [(s, current, around) for s in reversed(current)]
            else:
                for current in child_lists(one)[::-1]:
                    loops = isinstance(one, LOOPS) and current is one.body
                    work += [(s, current, (None, around) if loops else around) for s in reversed(current)]

    def _left(self, around: _Around, place: Place, offset: int) -> Iterator[Met]:
        """A copy of each `finally` body between a jump and its loop."""
        reached = True
        while around is not None and around[0] is not None:
            final, around = around
            copied = self._all(final, around)
            if copied:
                last = {id(s): n for n, s in enumerate(copied)}  # that of the handler of a `finally` in the body
                known = [self.copies[s][offset] - n for s, n in last.items() if offset in self.copies.get(s, ())]
                yield Met(copied, known[0] if known else None, place, reached)
            reached = reached and falls_through(final)

    def _cleaned_up(self, final: Final, place: Place) -> Iterator[Met]:
        """The copy behind the statement, and right after it that of the handler, which is the one that has marks."""
        copied = self._all(final.body, final.around)
        start = self.starts.get(id(final.body))
        if start is None:  # as if nothing were missing
            start = next((p.start for p in self.parts(final.body, final.around) if p.start is not None), None)
        yield Met(copied, None if start is None else start - len(copied), place, final.reached)
        yield Met(copied, start, place)

    def _all(self, statements: List[Stmt], around: _Around) -> List[AnnAssign]:
        return [s for part in self.parts(statements, around) for s in part.statements]

    def _holds(self, statements: List[Stmt]) -> bool:
        return any(id(s) in self.numbers for current in all_lists(statements) for s in current)


def _parts(statement: Try) -> List[List[Stmt]]:
    """What the compiler meets of a try before its `finally`, in order."""
    clauses = [clause.body for clause in statement.clauses]
    orelse = [statement.orelse] if statement.orelse else []
    return [statement.body, *clauses, *orelse] if statement.star else [statement.body, *orelse, *clauses]


def _falls(part: List[Stmt]) -> bool:
    """Whether control reaches the end of a part, past what is written there because nothing reaches it."""
    end = len(part)
    while end and _is_false(part[end - 1]):
        end -= 1
    return falls_through(part[:end])


def _is_false(one: Stmt) -> bool:
    test = one.test if isinstance(one, If) else None
    return isinstance(test, Const) and test.value is False
