"""A clause of except* cannot hold `return`, `break` or `continue`: where one was put there, it stood behind the statement.

All ways out of the clauses lead to one place, so there is one such ending for all of them. What follows when nothing was
raised becomes the `else`, or goes on under a flag.
"""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Tuple

from depyf.errors import DecompilationError

from ..compare import same
from ..jumps import NothingLeft
from ..tree import Assign, Break, Const, Continue, For, If, Match, Name, Pass, Return, Stmt, Try, While, With
from ..walk import child_lists, falls_through

_ENDINGS = (Return, Break, Continue)


def move_star_endings(statements: List[Stmt], new_name: Callable[[], str]) -> None:
    lists: List[Tuple[List[Stmt], Optional[Stmt]]] = [(statements, Return(Const(None)))]
    for current, _ in lists:
        for statement in current:
            inside = Continue() if isinstance(statement, (For, While)) else None
            for index, inner in enumerate(child_lists(statement)):
                lists.append((inner, inside if index == 0 else None))
    for current, tail in reversed(lists):  # the innermost first
        for index in range(len(current) - 1, -1, -1):
            statement = current[index]
            if isinstance(statement, Try) and statement.star:
                _move(current, index, statement, tail, new_name)
                _drop_unwritten(statement)


def _move(
    current: List[Stmt], index: int, statement: Try, tail: Optional[Stmt], new_name: Callable[[], str]
) -> None:
    endings = [e for clause in statement.clauses for e in _endings_in(clause.body)]
    if not endings:
        return
    if any(not same(endings[0], other) for other in endings[1:]):
        raise DecompilationError("clauses of except* that end in different places", offset=statement.offset)
    for clause in statement.clauses:
        _strip(clause.body)
        if _endings_in(clause.body):
            raise DecompilationError("a clause of except* that ends in its middle", offset=statement.offset)
    ending = endings[0]
    normal = statement.orelse or statement.body
    rest = current[index + 1 :]
    if not falls_through(normal):
        if normal and same(normal[-1], ending) and (len(normal) > 1 or statement.orelse):
            normal.pop()
        current[index + 1 :] = [ending]
    elif rest and not falls_through(rest):
        if len(rest) > 1 or not same(rest[0], ending):
            statement.orelse.extend(rest)
        current[index + 1 :] = [ending]
    elif tail is not None:
        statement.orelse.extend([*rest, tail])
        current[index + 1 :] = [ending]
    else:
        name = new_name()  # not set in the clauses: the way on may lead past all of them
        statement.orelse.append(Assign([Name(name)], Const(False)))
        current[index + 1 : index + 1] = [If(Name(name), [ending], [])]
        current.insert(index, Assign([Name(name)], Const(True)))


def _drop_unwritten(statement: Try) -> None:
    """The way past the clauses goes where they go: nothing is left of it."""
    for clause in statement.clauses:
        if isinstance(clause, NothingLeft) and not all(isinstance(s, Pass) for s in clause.body):
            raise DecompilationError("except* that ends elsewhere than its clauses", offset=statement.offset)
    statement.clauses = [clause for clause in statement.clauses if not isinstance(clause, NothingLeft)]


def _endings_in(code: List[Stmt]) -> List[Stmt]:
    """The endings that leave the clause: not those of loops inside it."""
    found: List[Stmt] = []
    work: List[Tuple[Any, bool]] = [(code, False)]
    while work:
        current, in_loop = work.pop()
        for statement in current:
            if isinstance(statement, Return) or isinstance(statement, _ENDINGS) and not in_loop:
                found.append(statement)
            for index, inner in enumerate(child_lists(statement)):
                work.append((inner, in_loop or isinstance(statement, (For, While)) and index == 0))
    return found


def _strip(code: List[Stmt]) -> None:
    """Takes the endings away; what stood behind an `if` that had one goes to its else."""
    work = [code]
    while work:
        current = work.pop()
        for index, statement in enumerate(current[:-1]):
            if isinstance(statement, If) and not statement.orelse and not falls_through(statement.body):
                if not _endings_in(statement.body):
                    continue
                statement.orelse = current[index + 1 :]
                del current[index + 1 :]
                break
        if current and isinstance(current[-1], _ENDINGS):
            current.pop()
        last = current[-1] if current else None
        if last is None:
            current.append(Pass())
        elif isinstance(last, If):
            work.extend(arm for arm in (last.body, last.orelse) if arm)
        elif isinstance(last, With):
            work.append(last.body)
        elif isinstance(last, (Try, Match)):
            work.extend(arm for arm in child_lists(last) if arm)
        elif isinstance(last, (For, While)) and last.orelse:
            work.append(last.orelse)
