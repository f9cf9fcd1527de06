"""What lines tell where there are no columns (before 3.11): whether an `else` stood behind a branch that leaves.

`else:` takes a line of its own, so between `return a` and the `return b` under the `else` one line is free; an `elif`
takes none, while people like to leave one free in front of an `if` that begins anew. Counted over the standard library,
this is right nine times of ten where all that follows is one statement that leaves, too; elsewhere it is not asked.
Where a `return` goes on over several lines, the bracket that closes it mostly takes the line (in packages of today
2,400 times of 2,600), and behind a guard that raises, or before a `return` over several lines, people leave one free
rather than write `else`. Two things are certain: an `if` that begins an `else` without a free line in front is an
`elif`, and one free line holds no more than one `try:`.
The meaning is the same either way.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Any, List, Optional, Set

from ..marks import Lines
from ..structuring.compare import same
from ..structuring.expressions import expressions_in
from ..structuring.labels import has_break
from ..structuring.walk import all_lists, falls_through
from ..tree import BoolOp, Break, Call, Compare, Const, Continue, For, If, Raise, Return, Stmt, Try, Unary, While
from .dead_jumps import DeadJumps
from .laid_out import restore_layout

_LEAVE = (Return, Raise, Continue, Break)
LONG_TEXT = 40  # characters; what is longer may have been written on several lines


class Gaps:
    """The lines of one code object on which something stands."""

    def __init__(self, lines: Lines, statements: List[Stmt], jumps: DeadJumps) -> None:
        self.lines = lines
        self.jumps = jumps
        self.statements = statements
        self.busy = sorted(lines.busy())
        self.ended: Set[int] = set()  # ifs whose every branch leaves, by identity: each is looked at once

    def restore(self) -> None:
        if self.jumps.are_kept:
            restore_layout(self.statements)
        self.jumps.restore_elses(self.statements)  # that is certain
        self._end_under_else(self.statements)
        for current in all_lists(self.statements):
            while len(current) > 1 and self._takes_last(current[-2], current[-1], current[-3:-2]):
                last = current.pop()
                current[-1].orelse = [last]  # type: ignore[attr-defined]
                self.ended.add(id(current[-1]))
            for statement in current:
                if isinstance(statement, If) and len(statement.orelse) > 1:
                    self._make_elif(statement.orelse)
                elif isinstance(statement, Try) and len(statement.body) > 1 and statement.finalbody and not statement.clauses:
                    self._make_try_else(statement.body)

    def _end_under_else(self, statements: List[Stmt]) -> None:
        """The last `return` of a function that does not end in one stood under an `else`, with what follows a free line."""
        if not statements or not self.jumps.ends_elsewhere(statements[-1]):
            return
        possible = [i for i, s in enumerate(statements[:-1]) if _may_have_else(s) and not self.jumps.rule_out_else(s)]
        free = [i for i in possible if self._has_room_for_else(statements[i + 1])]
        if possible:
            index = (free or possible)[-1]
            statements[index].orelse = statements[index + 1 :]  # type: ignore[attr-defined]
            del statements[index + 1 :]

    def _has_room_for_else(self, first: Stmt) -> bool:
        free = self._free_lines_before(first)
        return free == 0 if isinstance(first, If) else free > 0

    def _make_elif(self, orelse: List[Stmt]) -> None:
        """else: if a: leave; rest, with no room for `else:`, is elif a: leave, else: rest."""
        first = orelse[0]
        if isinstance(first, If) and not first.orelse and self._free_lines_before(first) == 0 and not falls_through(first.body):
            first.orelse = orelse[1:]
            del orelse[1:]

    def _make_try_else(self, body: List[Stmt]) -> None:
        """try: try: a, except b: leave; rest, finally: c, with room for one `try:`, has its rest under `else`."""
        inner = body[0]
        if not isinstance(inner, Try) or inner.orelse or inner.finalbody or not inner.clauses:
            return
        if self._free_lines_before(inner.body[0]) == 1 and not any(falls_through(clause.body) for clause in inner.clauses):
            inner.orelse = body[1:]
            del body[1:]

    def _takes_last(self, branch: Any, last: Stmt, before: List[Stmt]) -> bool:
        """Whether the last statement of a list stood under an `else` of the `if` before it; `before` is what stands before that."""
        if not isinstance(branch, If) or branch.orelse or not self._leaves(last) or falls_through(branch.body):
            return False
        if self._line(branch) in (None, self._line(branch.body[0])) or _may_go_on(branch.body[-1]):
            return False
        if self.jumps.rule_out_else(branch) or last is self.statements[-1] and self.jumps.ends_with(last):
            return False
        free = self._free_lines_before(last)
        if not isinstance(last, If):
            leaving = branch.body[-1]
            if isinstance(leaving, Raise) and isinstance(last, Return) and not self._goes_on(branch, before):
                return False  # behind a guard people leave a line free
            return free == self._lines_of_else(leaving, last)
        last.apart = free > 0  # so that the text tells, too
        return free == 0

    def _lines_of_else(self, leaving: Stmt, last: Stmt) -> int:
        """How many lines are free between what leaves a branch and the last statement, where that stood under an `else`; -1 where
        people rather leave a line free than write one."""
        if isinstance(leaving, Return) and self._is_over_lines(leaving):
            return 2  # the bracket that closes it has a line, too
        if isinstance(leaving, Return) and isinstance(last, Return) and self._is_over_lines(last):
            return -1
        return 1

    def _goes_on(self, branch: If, before: List[Stmt]) -> bool:
        """Whether an `if` asks about the same as the one before it, without a free line between them: that is a chain, and no guard."""
        for one in before:
            if isinstance(one, If) and self._free_lines_before(branch) == 0:
                return same(_asked(one.test), _asked(branch.test))
        return False

    def _is_over_lines(self, statement: Stmt) -> bool:
        """Whether parts of a statement stand on several lines; its own may be that of a `with` which it leaves."""
        lines = {self.lines.get(part.offset) for part in expressions_in(statement) if part.offset >= 0}
        return len(lines - {None}) > 1

    def _leaves(self, last: Stmt) -> bool:
        if isinstance(last, If):
            return id(last) in self.ended or not falls_through([last])
        return isinstance(last, _LEAVE)

    def _free_lines_before(self, statement: Stmt) -> int:
        """How many lines in front of a statement hold nothing; -1 if its own is not known."""
        line = self._line(statement)
        if line is None:
            return -1
        position = bisect_left(self.busy, line)
        return line - self.busy[position - 1] - 1 if position else -1

    def _line(self, statement: Any) -> Optional[int]:
        return self.lines.get(statement.offset)


def _asked(test: Any) -> Any:
    """What a test looks at first."""
    while isinstance(test, (Unary, BoolOp)):
        test = test.operand if isinstance(test, Unary) else test.values[0]
    if isinstance(test, Compare):
        return test.left
    return [test.func, *test.args[:1]] if isinstance(test, Call) else test


def _may_have_else(statement: Stmt) -> bool:
    """Whether what follows a statement may as well stand under its `else`."""
    if isinstance(statement, If):
        return not statement.orelse and not falls_through(statement.body)
    if isinstance(statement, Try):
        ended = statement.orelse or statement.finalbody or not statement.clauses
        return not ended and not any(falls_through(clause.body) for clause in statement.clauses)
    return isinstance(statement, (For, While)) and not statement.orelse and not has_break(statement)


def _may_go_on(statement: Stmt) -> bool:
    """Whether a statement may take lines on which no instruction stands: those of a long text in pieces."""
    constants = [value.value for value in expressions_in(statement) if isinstance(value, Const)]
    return any(isinstance(value, str) and len(value) > LONG_TEXT for value in constants)
