"""Walking unfinished trees: the lists of statements inside a statement, and what a list ends in."""

from __future__ import annotations

from typing import Any, Callable, Dict, FrozenSet, Iterator, List, Optional, Set, Tuple

from ..tree import (
    Assert,
    Assign,
    Break,
    Const,
    Continue,
    ExprStmt,
    For,
    If,
    Match,
    Name,
    NamedExpr,
    Raise,
    Return,
    Stmt,
    Try,
    While,
    With,
)
from .jumps import Branch, ForNext, HeldHere, Jump, Label, Loop, NamedClause, Reraise, TryRegion

LOOPS = (While, For, Loop)
_NOTHING: List[List[Stmt]] = []


def _body(statement: Any) -> List[List[Stmt]]:
    return [statement.body]


def _body_and_else(statement: Any) -> List[List[Stmt]]:
    return [statement.body, statement.orelse]


# what is not here holds no statements; no class of statements has a subclass
_CHILDREN: Dict[type, Callable[[Any], List[List[Stmt]]]] = {
    Branch: _body_and_else,
    If: _body_and_else,
    While: _body_and_else,
    For: _body_and_else,
    With: _body,
    Loop: _body,
    NamedClause: _body,
    Try: lambda s: [s.body, *[clause.body for clause in s.clauses], s.orelse, s.finalbody],
    TryRegion: lambda s: [s.body, s.catch],
    ForNext: lambda s: [s.body, s.exhausted],
    Match: lambda s: [case.body for case in s.cases],
}


HOLDERS = frozenset(_CHILDREN)


def child_lists(statement: Stmt) -> List[List[Stmt]]:
    """The lists of statements directly inside `statement`, in the order of the text."""
    children = _CHILDREN.get(statement.__class__)
    return _NOTHING if children is None else children(statement)


def all_lists(code: List[Stmt], into_loops: bool = True) -> Iterator[List[Stmt]]:
    """`code` and every list inside it. A caller may change a list it was given before it asks for the next."""
    work = [code]
    holders, children = HOLDERS, _CHILDREN  # not by `child_lists`: every pass comes here
    while work:
        current = work.pop()
        yield current
        for statement in [s for s in reversed(current) if s.__class__ in holders]:
            if into_loops or not isinstance(statement, LOOPS):
                work += children[statement.__class__](statement)[::-1]
            elif isinstance(statement, (While, For)):
                work.append(statement.orelse)


def in_front(code: List[Stmt], behind: List[Stmt]) -> List[Stmt]:
    """`code`, then `behind`, as one of these two lists; the other is given up.

    The rest of a long function comes behind one short piece after the other: what is longer stays where it is, since to copy a list
    means to count a reference to each of its statements."""
    if len(code) < len(behind):
        behind[:0] = code
        return behind
    code += behind
    return code


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
        if not label.uses:
            return  # that was the last one


def keep_held(jump: Jump) -> List[Stmt]:
    """What remains of a jump that goes away: the place where its values were computed."""
    return [HeldHere(jump.held)] if jump.held and any(h.crossed for h in jump.held) else []


_ENDS = (Jump, Return, Raise, Reraise, Break, Continue)


def falls_through(code: List[Stmt]) -> bool:
    """Whether control can reach the end of the list."""
    work: List[List[Stmt]] = [code]
    while work:
        falls, arms = _end_of(work.pop())
        if falls:
            return True
        work += arms
    return False


class EndsReached:
    """`falls_through` for a tree that goes on meaning the same: each list is looked at once, however deep one stands in another."""

    def __init__(self) -> None:
        self.known: Dict[int, Tuple[List[Stmt], bool]] = {}  # by identity, which is that of no other list as long as this one is here

    def __call__(self, code: List[Stmt]) -> bool:
        outermost_first: List[List[Stmt]] = []
        work = [code]
        while work:
            current = work.pop()
            if id(current) not in self.known:
                outermost_first.append(current)
                work += _end_of(current)[1]
        for current in reversed(outermost_first):
            falls, arms = _end_of(current)
            self.known[id(current)] = current, falls or any(self.known[id(arm)][1] for arm in arms)
        return self.known[id(code)][1]


def _end_of(code: List[Stmt]) -> Tuple[bool, List[List[Stmt]]]:
    """Whether control falls off a list for certain; if not, the lists at whose ends it does, if at all."""
    last: Optional[Stmt] = code[-1] if code else None
    if last is None:
        return True, _NOTHING
    if isinstance(last, _ENDS):
        return False, _NOTHING
    if isinstance(last, (Branch, If)):
        return False, [last.orelse, last.body]
    if isinstance(last, Try):
        if last.finalbody and not falls_through(last.finalbody):
            return False, _NOTHING
        if last.star:
            return True, _NOTHING  # there may be nothing left to raise, whatever its clauses do
        return False, [last.orelse or last.body, *[c.body for c in last.clauses]]
    if isinstance(last, NamedClause):
        return False, [last.body]
    endless = isinstance(last, While) and is_endless(last) or isinstance(last, Assert) and _always_fails(last)
    return not endless, _NOTHING


def _always_fails(statement: Assert) -> bool:
    """assert False: compiled with -O it would have left no code at all."""
    return isinstance(statement.test, Const) and statement.test.value is False


def arms_at_end(code: List[Stmt]) -> List[List[Stmt]]:
    """The lists at whose end control falls to the end of `code`, one level down."""
    last = code[-1] if code else None
    if isinstance(last, Branch):
        return [last.orelse, last.body]
    if isinstance(last, Try) and (not last.finalbody or falls_through(last.finalbody)):
        return [last.orelse or last.body, *[c.body for c in last.clauses]]
    if isinstance(last, (With, NamedClause, ForNext)):
        return [last.body]
    if isinstance(last, (While, For)) and last.orelse:
        return [last.orelse]
    return []


def has_no_test(loop: While) -> bool:
    """`while True`, however it is left."""
    return isinstance(loop.test, Const) and loop.test.value is True


def is_endless(loop: While) -> bool:
    """`while True` without a break of its own."""
    if not has_no_test(loop):
        return False
    return not any(
        isinstance(statement, Break) for current in all_lists(loop.body, False) for statement in current
    )


def named_offsets(code: List[Stmt], names: Set[str]) -> FrozenSet[int]:
    """Where the values were evaluated that statements keep under one of these names; -1 if there are only flags and subjects."""
    found = set()
    for current in all_lists(code):
        for statement in current:
            if isinstance(statement, Assign) and any(isinstance(t, Name) and t.id in names for t in statement.targets):
                found |= {statement.offset, statement.value.offset}
            elif isinstance(statement, (Match, ExprStmt)):
                value = statement.subject if isinstance(statement, Match) else statement.value
                if isinstance(value, NamedExpr) and isinstance(value.target, Name) and value.target.id in names:
                    found.add(-1)  # the subject of a match that something cuts in two
    return frozenset(found - {-1} or found)
