"""What only columns tell (3.11+): whether there was an `else` behind what leaves otherwise, or a return inside a `with`.

A statement under `else` begins where the statements of the `if` or `try` begin, one behind it where that itself begins. Where
columns say nothing, nothing is changed. Runs on plain statements; the meaning is the same either way.
"""

from __future__ import annotations

import sys
from collections import Counter
from functools import cached_property
from types import CodeType
from typing import Any, Dict, List, Optional, Set, Tuple

from depyf.bytecode.codes import CONDITIONAL_ANNOTATIONS
from depyf.bytecode.positions import beginnings, spans

from ..lifting.values import resolve
from ..marks import Lines
from ..structuring.compare import same
from ..structuring.walk import all_lists, falls_through
from ..tree import (
    AnnAssign,
    Assert,
    Assign,
    BoolOp,
    Break,
    Compare,
    Const,
    Continue,
    Delete,
    ExprStmt,
    For,
    If,
    Name,
    Pass,
    Raise,
    Return,
    Stmt,
    Try,
    Unary,
    While,
    With,
)

# how far behind the beginning of a statement its first instruction may begin: behind its keyword
_KEYWORDS: Dict[type, Set[int]] = {
    Return: {0, 7},
    Raise: {0, 6},
    Assert: {0, 7},
    Delete: {4},
    For: {0, 4, 10},
    While: {0, 6},
    With: {0, 5, 11},
}
_IF, _ELIF, _NOT = 3, 5, 4
_NO_COLUMN = sys.maxsize


class Indents:
    """Where the statements of one code object began on their lines; read when the first statement asks for it."""

    def __init__(self, code: CodeType, lines: Lines, statements: List[Stmt]) -> None:
        self.code = code
        self.lines = lines
        self.statements = statements
        self.spread: Set[int] = set()  # lines on which something begins, and nothing ends; known with `first`

    def are_known(self) -> bool:
        return any(line != self.code.co_firstlineno for line, _, _ in spans(self.code))

    @cached_property
    def first(self) -> Dict[int, int]:
        """Line -> the first column of what begins on it."""
        found: Dict[int, int] = {}
        for line, column, _ in spans(self.code):
            if column < found.get(line, _NO_COLUMN):
                found[line] = column
        for line, column in beginnings(self.code):  # of a class or function, nothing ends on its first line
            if line not in found:
                found[line] = column
                self.spread.add(line)
        found.pop(self.code.co_firstlineno, None)
        return found

    @cached_property
    def unit(self) -> int:
        """The width of one level: four blanks, unless too many bodies begin elsewhere."""
        lines = Counter(self._line(s) for current in all_lists(self.statements) for s in current)
        columns = [min(found) for found in (self._plain_columns(current, lines) for current in all_lists(self.statements)) if found]
        for unit in (4, 2):
            if 4 * sum(column % unit == 0 for column in columns) >= 3 * len(columns):
                return unit
        return 1

    def _plain_columns(self, body: List[Stmt], lines: Dict[Optional[int], int]) -> List[int]:
        """Where statements of a body begin that are alone on their line, and whose first target tells where."""
        plain = [s for s in body if isinstance(s, ExprStmt) or isinstance(s, Assign) and isinstance(s.targets[0], Name)]
        columns = [self._column(statement) for statement in plain if lines[self._line(statement)] == 1]
        return [column for column in columns if column is not None]

    def may_stand_beside(self, statement: Stmt, line: Optional[int]) -> bool:
        """Whether what begins on a line may be of the level of a statement; so it is where nothing is known."""
        begins = self._beginning(statement)
        return line is None or line not in self.first or not begins or self.first[line] in begins

    def stands_outside(self, body: List[Stmt], line: int) -> bool:
        """Whether what begins on a line is one level further out than a body, as far as columns tell."""
        return self.first.get(line) in {column - self.unit for column in self._beginning(body[0])}

    def first_outside(self, body: List[Stmt]) -> int:
        """The first statement of a body that begins further out than the body does; 0 if there is none."""
        inner = self._beginning(body[0]) if len(body) > 1 else set()
        for position in range(1, len(body) if inner else 0):
            begins = self._beginning(body[position])
            if begins and max(begins) < min(inner):
                return position
        return 0

    def restore(self) -> None:
        statements = self.statements
        for current in all_lists(statements):
            self._take_out_returns(current, current is statements)
            for index in range(len(current) - 1, -1, -1):
                statement = current[index]
                if isinstance(statement, Try) and statement.body and not statement.finalbody:
                    self._divide_behind_try(statement, current, index + 1)
            for index in range(len(current) - 2, -1, -1):
                statement = current[index]
                if isinstance(statement, If) and statement.body and not statement.orelse and not falls_through(statement.body):
                    count = self._under_else(statement, current, index + 1)
                    if count:
                        statement.orelse = current[index + 1 : index + 1 + count]
                        del current[index + 1 : index + 1 + count]

    def _take_out_returns(self, current: List[Stmt], outermost: bool) -> None:
        """with a: b(); return 1: the return may have stood behind, since nothing of it happens before `a` is left."""
        for index in range(len(current) - 1, -1, -1):
            statement = current[index]
            if isinstance(statement, With) or isinstance(statement, Try) and _may_take_out(statement):
                last = statement.body[-1] if statement.body else None
                if not isinstance(last, Return) or not isinstance(last.value, Const):
                    continue
                behind = current[index + 1] if index + 1 < len(current) else Return(Const(None)) if outermost else None
                goes_on = isinstance(statement, With) or statement.star
                if goes_on and not same(last, behind):
                    continue  # a manager that swallows an exception leads elsewhere, and so does a group of which nothing is left
                if self._stood_behind(last, statement):
                    statement.body.pop()
                    statement.body = statement.body or [Pass()]
                    if not goes_on or index + 1 == len(current):
                        current.insert(index + 1, last)

    def _stood_behind(self, last: Return, statement: Any) -> bool:
        first = statement.body[0]
        if first is last:
            return isinstance(statement, With) and bool(self._beginning(last) & self._beginning(statement))
        return self._is_left_of(last, first)

    def _is_left_of(self, statement: Stmt, other: Stmt) -> bool:
        one, another = self._beginning(statement), self._beginning(other)
        return bool(one) and bool(another) and not one & another and min(one) < min(another)

    def _divide_behind_try(self, statement: Try, current: List[Stmt], behind: int) -> None:
        """Where every clause leaves, what follows may have stood under `else` or behind the statement."""
        if statement.star or not statement.clauses or any(falls_through(clause.body) for clause in statement.clauses):
            return
        inner = self._beginning(statement.body[0])
        under = self._count_inner(statement.orelse, 0, inner)
        if under is None or self.numbered and self._are_numbered(statement, [*statement.orelse[under:], *current[behind:]]):
            return
        if under < len(statement.orelse):
            current[behind:behind] = statement.orelse[under:]
            del statement.orelse[under:]
        elif falls_through(statement.orelse):
            end = self._count_inner(current, behind, inner)
            if end is not None:
                statement.orelse.extend(current[behind:end])
                del current[behind:end]

    def _are_numbered(self, statement: Try, moving: List[Stmt]) -> bool:
        """Whether annotations of clauses and of what may move past them have numbers, which tell their order (see `nesting.met`)."""
        caught = [s for clause in statement.clauses for s in clause.body]
        return all(
            any(isinstance(s, self.numbered) for inside in all_lists(part) for s in inside) for part in (caught, moving)
        )

    @cached_property
    def numbered(self) -> Tuple[type, ...]:
        """What the compiler numbers as it meets it: annotations, and jumps before which it repeats some."""
        if CONDITIONAL_ANNOTATIONS not in (*self.code.co_names, *self.code.co_cellvars):
            return ()
        finals = [s.finalbody for current in all_lists(self.statements) for s in current if isinstance(s, Try)]
        repeated = any(isinstance(s, AnnAssign) for final in finals for inside in all_lists(final) for s in inside)
        return (AnnAssign, Break, Continue) if repeated else (AnnAssign,)

    def _count_inner(self, statements: List[Stmt], start: int, inner: Set[int]) -> Optional[int]:
        """The position up to which statements begin at `inner`, and not a level further out; None where the first says neither."""
        outer = {column - self.unit for column in inner}
        for position in range(start, len(statements)):
            begins = self._beginning(statements[position])
            if begins & outer and not begins & inner:
                return position
            if position == start and bool(begins & inner) is bool(begins & outer):
                return None
        return len(statements)

    def _under_else(self, branch: If, current: List[Stmt], behind: int) -> int:
        """How many of the statements behind an `if` whose branch leaves stood under its `else`; `behind` is the position of the first."""
        test, first = self._column(branch), branch.body[0]
        if test is None:
            return 0
        widths = [0] if self._is_spread(branch) else [*_widths(branch, _IF), *_widths(branch, _ELIF)]
        outer = [test - width for width in widths if (test - width) % self.unit == 0]
        if not isinstance(first, (Break, Continue)):  # these have no place of their own any more
            if self._line(branch) == self._line(first):
                return 0
            outer = [column for column in outer if column + self.unit in self._beginning(first)]
        elif any(column in self._beginning(current[behind]) for column in outer):
            return 0
        following = current[behind]
        if isinstance(following, If):
            widths = _widths(following, _ELIF)
            if any(self._column(following) == column + width for column in outer for width in widths):
                return 1
        return max((self._count_at(current, behind, column) for column in outer), default=0)

    def _count_at(self, current: List[Stmt], behind: int, outer: int) -> int:
        """How many statements begin one level deeper than `outer`; an `if` that may also begin there is not alone under an `else`."""
        count = 0
        for position in range(behind, len(current)):
            begins = self._beginning(current[position])
            if outer + self.unit not in begins or outer in begins and not self._is_likely_at(current[position], outer + self.unit):
                break
            count += 1
        return 0 if count == 1 and outer in self._beginning(current[behind]) else count

    def _is_likely_at(self, statement: Stmt, begins: int) -> bool:
        """Whether a statement begins there if its test was written as the tree has it."""
        return isinstance(statement, If) and self._column(statement) == begins + _widths(statement, _IF)[0]

    def _beginning(self, statement: Stmt) -> Set[int]:
        """The columns at which a statement may begin."""
        depth = 0
        while isinstance(statement, Try) and statement.body:  # nothing of it is left but what it holds
            statement, depth = statement.body[0], depth + self.unit
        column = self._column(statement)
        if column is None or isinstance(statement, While) and self._line(statement) in map(self._line, statement.body[:1]):
            return set()  # of a `while` whose test was moved to its end, only the body has a place
        if isinstance(statement, If) and not self._is_spread(statement):
            return {column - width - depth for width in _widths(statement, _IF)}
        return {column - width - depth for width in _KEYWORDS.get(type(statement), {0})}

    def _is_spread(self, branch: If) -> bool:
        """Whether the column of an `if` is its own, as where its test stands on lines of its own (3.11); else it is that of its test."""
        return self._line(branch) in self.spread

    def _column(self, statement: Stmt) -> Optional[int]:
        line = self._line(statement)
        return None if line is None else self.first.get(line)

    def _line(self, statement: Any) -> Optional[int]:
        line = self.lines.get(statement.offset)
        if isinstance(statement, Return) and line is not None:
            written = self.lines.get(resolve(statement.value).offset) if statement.value is not None else None
            if written is not None and (written < line or written > line and line in self.managed):
                return written
        return line

    @cached_property
    def managed(self) -> Set[Optional[int]]:
        """The lines of managers, which what leaves them has; what leaves a `finally` may have a line of that."""
        return {self.lines.get(s.offset) for current in all_lists(self.statements) for s in current if isinstance(s, With)}


def _widths(branch: If, keyword: int) -> List[int]:
    """How far behind the beginning of an `if` its test may begin, the likeliest first; `not a in b` is the same as `a not in b`.
    There may be a parenthesis in front of it."""
    test = resolve(branch.test)
    while isinstance(test, BoolOp):
        test = resolve(test.values[0])
    widths = [keyword]
    if isinstance(test, Unary) and test.op == "not":
        widths = [keyword + _NOT, keyword]
    elif isinstance(test, Compare) and test.ops[0] in ("is not", "not in"):
        widths = [keyword, keyword + _NOT]
    return [*widths, *[width + 1 for width in widths]]


def _may_take_out(statement: Try) -> bool:
    if statement.orelse or statement.finalbody:
        return False
    return statement.star or not any(falls_through(clause.body) for clause in statement.clauses)
