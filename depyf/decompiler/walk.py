"""Walking unfinished trees: the lists of statements inside a statement, and what a list ends in."""

from __future__ import annotations

from typing import Callable, Iterator, List, Optional, Set

from .jumps import Branch, ForNext, HeldHere, Jump, Label, Loop, NamedClause, Reraise, TryRegion
from .tree import (
    Assign,
    AugAssign,
    Break,
    Continue,
    Delete,
    ExprStmt,
    For,
    If,
    Match,
    Raise,
    Return,
    Stmt,
    Try,
    While,
    With,
)

LOOPS = (While, For, Loop)
_SIMPLE = frozenset((Assign, AugAssign, Break, Continue, Delete, ExprStmt, Jump, Raise, Return))
_NOTHING: List[List[Stmt]] = []


def child_lists(statement: Stmt) -> List[List[Stmt]]:
    """The lists of statements directly inside `statement`, in the order of the text."""
    if statement.__class__ in _SIMPLE:
        return _NOTHING
    if isinstance(statement, (Branch, If, While, For)):
        return [statement.body, statement.orelse]
    if isinstance(statement, Try):
        return [statement.body, *[c.body for c in statement.clauses], statement.orelse, statement.finalbody]
    if isinstance(statement, (With, Loop, NamedClause)):
        return [statement.body]
    if isinstance(statement, TryRegion):
        return [statement.body, statement.catch]
    if isinstance(statement, ForNext):
        return [statement.body, statement.exhausted]
    if isinstance(statement, Match):
        return [case.body for case in statement.cases]
    return _NOTHING


def all_lists(code: List[Stmt], into_loops: bool = True) -> Iterator[List[Stmt]]:
    """`code` and every list inside it. A caller may change a list it was given before it asks for the next."""
    work = [code]
    while work:
        current = work.pop()
        yield current
        for statement in reversed(current):
            if into_loops or not isinstance(statement, LOOPS):
                work.extend(reversed(child_lists(statement)))
            elif isinstance(statement, (While, For)):
                work.append(statement.orelse)


def jumps_to(code: List[Stmt], label: Label, into_loops: bool = True) -> int:
    return sum(
        1
        for current in all_lists(code, into_loops)
        for statement in current
        if isinstance(statement, Jump) and statement.label is label
    )


def labels_in(code: List[Stmt]) -> Set[Label]:
    """The labels that something in `code` jumps to."""
    return {s.label for current in all_lists(code) for s in current if isinstance(s, Jump)}


def replace_jumps(
    code: List[Stmt],
    label: Label,
    make: Callable[[Jump], List[Stmt]],
    into_loops: bool = False,
) -> None:
    """Replaces the jumps to `label`; a replaced jump is no use of it any more."""
    for current in all_lists(code, into_loops):
        for index in range(len(current) - 1, -1, -1):
            statement = current[index]
            if isinstance(statement, Jump) and statement.label is label:
                label.uses -= 1
                current[index : index + 1] = keep_held(statement) + make(statement)


def keep_held(jump: Jump) -> List[Stmt]:
    """What remains of a jump that goes away: the place where its values were computed."""
    return [HeldHere(jump.held)] if any(h.crossed for h in jump.held) else []


_ENDS = (Jump, Return, Raise, Reraise, Break, Continue)


def falls_through(code: List[Stmt]) -> bool:
    """Whether control can reach the end of the list."""
    work: List[List[Stmt]] = [code]
    while work:
        current = work.pop()
        last: Optional[Stmt] = current[-1] if current else None
        if last is None:
            return True
        if isinstance(last, _ENDS):
            continue
        if isinstance(last, (Branch, If)):
            work.extend((last.orelse, last.body))
        elif isinstance(last, Try):
            if last.finalbody and not falls_through(last.finalbody):
                continue
            if last.star:
                return True  # there may be nothing left to raise, whatever its clauses do
            work.append(last.orelse or last.body)
            work.extend(c.body for c in last.clauses)
        elif isinstance(last, (NamedClause,)):
            work.append(last.body)
        elif isinstance(last, While) and is_endless(last):
            continue
        else:
            return True
    return False


def is_endless(loop: While) -> bool:
    """`while True` without a break of its own."""
    from .tree import Const

    if not (isinstance(loop.test, Const) and loop.test.value is True):
        return False
    return not any(
        isinstance(statement, Break) for current in all_lists(loop.body, False) for statement in current
    )
