"""Conditional annotations in the order of their numbers: what may stand in one of two places stands where the compiler met it.

Behind a statement or in its `else`, in the first branch or in the second: where a way does not go on, both are the same.
"""

from __future__ import annotations

from typing import Dict, Iterator, List, NamedTuple, Optional, Type, Union

from ..structuring.logic import negate
from ..structuring.walk import LOOPS, all_lists, child_lists, falls_through, has_no_test
from ..tree import Break, Const, Continue, If, Match, Pass, Stmt, Try, While, With

JumpType = Optional[Union[Type[Break], Type[Continue]]]


class Placed(NamedTuple):
    """A list of statements, and the jump that falling off its end comes to, if it is one."""

    inside: List[Stmt]
    onward: JumpType

    def behind(self, index: int) -> JumpType:
        """The jump that comes next behind a statement of this list, if nothing else does."""
        rest = self.inside[index + 1 :]
        if not rest:
            return self.onward
        first = rest[0]
        return type(first) if isinstance(first, (Break, Continue)) else None


def placed(statements: List[Stmt]) -> Iterator[Placed]:
    """All lists of statements, outer ones first."""
    work = [Placed(statements, None)]
    while work:
        current = work.pop()
        yield current
        for index, one in enumerate(current.inside):
            onward = current.behind(index)
            for inner in child_lists(one):
                if isinstance(one, LOOPS) and inner is not getattr(one, "orelse", None):
                    work.append(Placed(inner, Continue))
                elif isinstance(one, Try) and (one.finalbody or one.orelse and inner is one.body):
                    work.append(Placed(inner, None))
                else:
                    work.append(Placed(inner, onward if isinstance(one, (If, Match, Try, With, *LOOPS)) else None))


def order_statements(statements: List[Stmt], numbers: Dict[int, int]) -> None:
    """`numbers` are those of annotations, by identity."""
    for current in [*placed(statements)][::-1] if len(numbers) > 1 else ():
        for index in range(len(current.inside) - 1, -1, -1):
            one = current.inside[index]
            if isinstance(one, If):
                _order_branches(one, current, index, numbers)
            elif isinstance(one, Try) and one.clauses and not one.star and not one.finalbody:
                _order_clauses(one, current, index, numbers)
            elif isinstance(one, While) and not one.orelse and not has_no_test(one):
                _order_loop(one, current.inside, index, numbers)


def _order_branches(one: If, current: Placed, index: int, numbers: Dict[int, int]) -> None:
    first, inside = numbers_in(one.body, numbers), current.inside
    if first and not falls_through(one.body):
        count = _last_before(inside[index + 1 :], min(first), numbers)
        one.orelse += inside[index + 1 : index + 1 + count]
        del inside[index + 1 : index + 1 + count]
    second = numbers_in(one.orelse, numbers)
    if first and second and min(first) > max(second):
        one.test, one.body, one.orelse = negate(one.test), one.orelse, one.body
    elif first and second:
        cut = _first_behind(one.body, max(second), numbers)
        if cut < len(one.body):
            _take_out(one, one.body[cut:], current, index)


def _take_out(one: If, tail: List[Stmt], current: Placed, index: int) -> None:
    """Puts the end of the first branch behind the statement; the other branch jumps over it, out of a `while True` if need be."""
    onward = current.behind(index)
    statements: List[Stmt] = [one, *tail]
    if falls_through(one.orelse) and onward is not None:
        one.orelse.append(onward(one.offset, None, True))
    elif falls_through(one.orelse):
        if any(isinstance(s, (Break, Continue)) for inside in all_lists([one], False) for s in inside):
            return
        one.orelse.append(Break(one.offset, None, True))
        if falls_through(tail):
            statements.append(Break(one.offset, None, True))
        statements = [While(Const(True), statements, [], one.offset)]
    one.body[:] = one.body[: len(one.body) - len(tail)] or [Pass()]
    current.inside[index : index + 1] = statements


def _order_clauses(one: Try, current: Placed, index: int, numbers: Dict[int, int]) -> None:
    """The `else` of a try is met before its clauses, and what stands behind it after them."""
    found = [n for clause in one.clauses for n in numbers_in(clause.body, numbers)]
    if not found:
        return
    inside = current.inside
    onward = current.behind(index)
    falling = any(falls_through(clause.body) for clause in one.clauses)
    cut = _first_behind(one.orelse, max(found), numbers)
    if cut < len(one.orelse) and (onward is not None or not falling):
        for clause in one.clauses:
            if onward is not None and falls_through(clause.body):
                clause.body.append(onward(clause.offset, None, True))
        last = len(inside) if not falls_through(one.orelse) else index + 1  # nothing reaches a jump behind it any more
        inside[index + 1 : last] = one.orelse[cut:]
        del one.orelse[cut:]
    elif not falling and falls_through(one.orelse or one.body):
        count = _last_before(inside[index + 1 :], min(found), numbers)
        one.orelse += inside[index + 1 : index + 1 + count]
        del inside[index + 1 : index + 1 + count]


def _order_loop(one: While, inside: List[Stmt], index: int, numbers: Dict[int, int]) -> None:
    """while a: b; c -> while True: if not a: c; break; b"""
    found = numbers_in(one.body, numbers)
    count = _last_before(inside[index + 1 :], min(found), numbers) if found else 0
    if not count or any(isinstance(s, Break) for current in all_lists(one.body, False) for s in current):
        return
    leaving = [*inside[index + 1 : index + 1 + count], Break(one.offset, None, True)]
    del inside[index + 1 : index + 1 + count]
    one.body.insert(0, If(negate(one.test), leaving, []))
    one.test = Const(True)


def _last_before(statements: List[Stmt], bound: int, numbers: Dict[int, int]) -> int:
    """How many of the statements it takes to have all from which on one is numbered before `bound`, if none is numbered after it."""
    count = 0
    for position, statement in enumerate(statements):
        found = numbers_in([statement], numbers)
        if found and max(found) > bound:
            break
        if found:
            count = position + 1
    return count


def _first_behind(statements: List[Stmt], bound: int, numbers: Dict[int, int]) -> int:
    """Where the end of the statements begins of which all are numbered after `bound`; their number, if it has none."""
    cut = len(statements)
    for position in range(len(statements) - 1, -1, -1):
        found = numbers_in([statements[position]], numbers)
        if found and min(found) < bound:
            break
        if found:
            cut = position
    return cut


def numbers_in(statements: List[Stmt], numbers: Dict[int, int]) -> List[int]:
    return [numbers[id(s)] for current in all_lists(statements) for s in current if id(s) in numbers]
