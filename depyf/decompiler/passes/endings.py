"""How functions end: returns that falling off the end would do anyway, and returns that were one expression."""

from __future__ import annotations

from typing import FrozenSet, List

from ..marks import Lines
from ..structuring.logic import choose
from ..structuring.walk import all_lists
from ..tree import Break, Const, Expr, For, If, Match, MatchAs, Pass, Return, Stmt, Try, While, With

_ONE_LINE = 40  # more ifs and returns than anybody writes on one line; a program may give all that it makes the same line


class Endings:
    """`return None` where falling off the end would do the same. One that has a line of its own was written."""

    def __init__(self, lines: Lines, written: FrozenSet[int]) -> None:
        self.lines = lines
        self.written = written

    def was_written(self, statement: Stmt) -> bool:
        return self.lines.get(statement.offset) in self.written

    def _is_dropped(self, statement: Stmt) -> bool:
        return _is_none(statement) and not self.was_written(statement)

    def drop(self, statements: List[Stmt]) -> None:
        """At the end of a function, however deep in ifs and tries."""
        if statements and _is_none(statements[-1]):
            statements.pop()
        work = [statements]
        while work:
            current = work.pop()
            last = current[-1] if current else None
            if last is not None and self._is_dropped(last):
                current.pop()
                last = current[-1] if current else None
            if isinstance(last, If):
                for arm in (last.body, last.orelse):
                    if _has_more(arm) or (arm is last.orelse and arm):
                        work.append(arm)
            elif isinstance(last, Try):
                if len(last.orelse) == 1 and self._is_dropped(last.orelse[0]):
                    last.orelse = []
                for arm in (last.orelse or last.body, *[c.body for c in last.clauses]):
                    if _has_more(arm):
                        work.append(arm)
                for clause in last.clauses:  # `pass` leaves the same bytecode, and says more
                    if len(clause.body) == 1 and _is_none(clause.body[0]):
                        clause.body[:] = [Pass(clause.body[0].offset)]
            elif isinstance(last, With) and _has_more(last.body):
                work.append(last.body)
            elif isinstance(last, (For, While)) and not last.orelse:
                self._leave_loop(last)
            elif isinstance(last, Match):
                _drop_empty_default(last)
                work.extend(case.body for case in last.cases if len(case.body) > 1)

    def _leave_loop(self, loop: Stmt) -> None:
        """Leaving a loop that nothing follows was a break, unless it was written as a return."""
        if not _may_break(loop):
            return
        for current in all_lists(loop.body, False):  # type: ignore[attr-defined]
            for index, statement in enumerate(current):
                if _is_none(statement) and not self.was_written(statement):
                    current[index] = Break(statement.offset)


def _has_more(arm: List[Stmt]) -> bool:
    """Whether there is something in an arm besides a last return, so that it can go."""
    return len(arm) > 1 or bool(arm) and not isinstance(arm[0], Return)


def _may_break(loop: Stmt) -> bool:
    """Inside a finally body a break would mean something else; such returns stay."""
    for current in all_lists(loop.body, False):  # type: ignore[attr-defined]
        for one in current:
            if isinstance(one, Try) and one.finalbody:
                return False
    return True


def _drop_empty_default(match: Match) -> None:
    """`case _: return None` at the end of a function is where no case matches."""
    last = match.cases[-1]
    wildcard = isinstance(last.pattern, MatchAs) and last.pattern.pattern is None and last.pattern.name is None
    body = last.body[0] if len(last.body) == 1 else None
    if wildcard and last.guard is None and isinstance(body, Return) and _is_none(body) and len(match.cases) > 1:
        match.cases.pop()


def _is_none(statement: Stmt) -> bool:
    return isinstance(statement, Return) and isinstance(statement.value, Const) and statement.value.value is None


def return_choices(statements: List[Stmt], lines: Lines) -> None:
    """if c: return a; return b, of one `return` in the source: return a if c else b."""
    for current in all_lists(statements):
        for index in range(len(current) - 2, -1, -1):
            first, second = current[index], current[index + 1]
            if not isinstance(first, If) or not isinstance(second, Return) or not _is_one_return(first, second, lines):
                continue
            if lines.get(first.offset) == lines.get(second.offset) or not _leaves_manager(second, statements, lines):
                current[index : index + 2] = [Return(_chosen([first], second.value), second.offset)]


def _is_one_return(first: If, second: Return, lines: Lines) -> bool:
    """Whether nothing but ifs and returns is there, an if of which something returns, and one `return` is all that was written: all of
    it on one line, or the tests behind the line of the returns, as `return (` stands before what it returns."""
    begins, tested = lines.get(second.offset), lines.get(first.offset)
    if begins is None or tested is None or begins > tested:
        return False
    work: List[Stmt] = [*first.body, *first.orelse]
    returns, seen = False, 2
    while work:
        statement = work.pop()
        line = lines.get(statement.offset)
        seen += 1
        if seen > _ONE_LINE:
            return False
        if isinstance(statement, If) and line is not None and (line == begins or begins < tested and begins < line):
            work += [*statement.body, *statement.orelse]
        elif isinstance(statement, Return) and line == begins:
            returns = True
        else:
            return False
    return returns


def _leaves_manager(last: Return, statements: List[Stmt], lines: Lines) -> bool:
    """Whether a return may have its line from a `with` that it leaves."""
    line = lines.get(last.offset)
    return any(isinstance(s, With) and lines.get(s.offset) == line for current in all_lists(statements) for s in current)


def _chosen(statements: List[Stmt], value: Expr) -> Expr:
    """What statements return of which those that go on return `value`."""
    for statement in reversed(statements):
        if isinstance(statement, Return):
            value = statement.value
        else:
            assert isinstance(statement, If)
            value = choose(statement.test, _chosen(statement.body, value), _chosen(statement.orelse, value))
    return value
