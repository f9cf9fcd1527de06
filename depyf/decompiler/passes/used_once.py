"""Generated code gives every value a name; a person writes a value where it is used.

For code that a program generated, whose variables nobody else sees. All effects stay, in their order: a variable that only
repeats another is that other, a temporary that is used once, right behind where it is made, is written there, and what is
deleted just before a plain return is left to the return.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple

from ..lifting.values import Value, resolve
from ..structuring.expressions import expressions_in
from ..structuring.walk import all_lists, child_lists
from ..tree import (
    Assign,
    AugAssign,
    Const,
    Delete,
    Expr,
    ExprStmt,
    For,
    If,
    List_,
    Name,
    NamedExpr,
    Return,
    Stmt,
    Tuple_,
    While,
)
from .places import Place, all_places, depth_of, evaluated

DEEPEST = 5  # how deep what is written in place of a name may be nested: what is deeper is not easier to read


def write_where_used(body: Any) -> None:
    """The pass over the statements of one code object."""
    names = _Names(body)
    statements: List[Stmt] = body.statements
    for current in _plain_lists(statements):
        names.leave_to_return(current)
    for current in all_lists(statements):
        names.store_at_once(current)
    names.inline(statements)
    if not any(isinstance(s, (For, While)) for current in all_lists(statements) for s in current):
        repeated = names.repeated(statements)
        if repeated:
            _replace(statements, repeated)
            names.inline(statements)
    for current in all_lists(statements):
        _delete_together(current)
    names.number(statements)


def _delete_together(current: List[Stmt]) -> None:
    for index in range(len(current) - 1, 0, -1):
        before, statement = current[index - 1], current[index]
        if isinstance(before, Delete) and isinstance(statement, Delete):
            before.targets = [*before.targets, *statement.targets]
            del current[index]


def _plain_lists(statements: List[Stmt]) -> Iterator[List[Stmt]]:
    """The lists that no handler and no clean-up is around."""
    work = [statements]
    while work:
        current = work.pop()
        yield current
        work.extend(inner for s in current if isinstance(s, If) for inner in (s.body, s.orelse))


class _Names:
    """The names of one code object: which are its temporaries, and which locals only it sees."""

    def __init__(self, body: Any) -> None:
        code = body.code
        self.prefix: str = body.temporaries.prefix
        self.written = {*code.co_varnames, *code.co_names, *code.co_cellvars, *code.co_freevars}
        self.shared = {*code.co_cellvars, *code.co_freevars}
        # code that a program generated binds what it reads; of other code that is not known, and plain text has to be right
        self.locals = set() if body.mode.plain else set(code.co_varnames) - self.shared
        star = bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)
        self.parameters = set(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + star])

    def is_temporary(self, name: str) -> bool:
        return name.startswith(self.prefix) and name not in self.written

    def is_own(self, name: str) -> bool:
        """Whether reading and storing it is seen by nobody."""
        return name in self.locals or self.is_temporary(name)

    # --- names that repeat others

    def repeated(self, statements: List[Stmt]) -> Dict[str, str]:
        """Variables that hold what another one holds as long as they live: each is stored once, and the other stays."""
        stores: Counter[str] = Counter()
        deleted: Set[str] = set()
        pairs: List[Tuple[str, str]] = []
        for current in all_lists(statements):
            for statement in current:
                stores.update(_stored(statement))
                if isinstance(statement, Delete):
                    deleted.update(_name(target) for target in statement.targets)
                pairs.extend(_equal_names(statement))
        found: Dict[str, str] = {}
        for name, other in pairs:
            other = found.get(other, other)
            keeps = other not in deleted and stores[other] == (other not in self.parameters)
            lives = name not in deleted or other in self.parameters  # what is deleted is not kept longer under another name
            if stores[name] == 1 and name not in self.parameters and name != other and keeps and lives:
                if self.is_own(name) and self.is_own(other):
                    found[name] = other
        return found

    # --- deletions

    def leave_to_return(self, current: List[Stmt]) -> None:
        """A variable that is deleted just before the frame ends may end with it."""
        if current and isinstance(current[-1], Return) and self._is_silent(current[-1].value):
            while len(current) > 1 and self._deletes_locals(current[-2]):
                del current[-2]

    def store_at_once(self, current: List[Stmt]) -> None:
        """`t = value; del x; y = t` is `y = value; del x`."""
        for index in range(1, len(current)):
            taken, place = _taken_as_it_is(current[index]), index
            while taken and place and self._deletes_locals(current[place - 1]):
                place -= 1
            if taken and 0 < place < index and self._temporary_of(current[place - 1]) == taken:
                deleted = [_name(target) for s in current[place:index] for target in getattr(s, "targets", ())]
                if _target(current[index]) not in deleted:
                    current.insert(place, current.pop(index))

    def _deletes_locals(self, statement: Stmt) -> bool:
        return isinstance(statement, Delete) and all(
            isinstance(target, Name) and target.id in self.locals for target in statement.targets
        )

    def _is_silent(self, node: Any) -> bool:
        node = resolve(node)
        if isinstance(node, (Tuple_, List_)):
            return all(self._is_silent(item) for item in node.items)
        return isinstance(node, Const) or (isinstance(node, Name) and self.is_own(node.id))

    # --- values that are used once

    def inline(self, statements: List[Stmt]) -> None:
        counts = Counter(_name(node) for node in _nodes(statements))  # stores and deletions included
        for current in all_lists(statements):
            kept: List[Stmt] = []
            for statement in current:
                while kept and self._write_into(kept[-1], statement, counts):
                    kept.pop()
                kept.append(statement)
            current[:] = kept

    def _write_into(self, made: Stmt, statement: Stmt, counts: Counter[str]) -> bool:
        """Whether the value that `made` names is now written in `statement`, the only place that uses it."""
        name = self._temporary_of(made)
        if name is None or counts[name] != 2:
            return False
        assert isinstance(made, Assign)
        place = self._first_use(statement, name)
        if place is None or depth_of(made.value, DEEPEST + 1) > DEEPEST or not _apart(made.value, statement):
            return False
        place.put(made.value)
        return True

    def _first_use(self, statement: Stmt, name: str) -> Optional[Place]:
        """Where a statement uses the name before it runs any code."""
        for place in evaluated(statement):
            if place is None:
                return None
            if isinstance(place.node, Name):
                if place.node.id == name:
                    return place
                if not self.is_own(place.node.id):
                    return None
        return None

    def _temporary_of(self, statement: Stmt) -> Optional[str]:
        name = _target(statement)
        return name if name is not None and self.is_temporary(name) else None

    def number(self, statements: List[Stmt]) -> None:
        """Temporaries are counted in the order of the text."""
        names: Dict[str, str] = {}
        number = 0
        for node in _nodes(statements):
            name = _name(node)
            if self.is_temporary(name) and name not in names:
                number += 1
                while f"{self.prefix}{number}" in self.written:
                    number += 1
                names[name] = f"{self.prefix}{number}"
        renamed: Set[int] = set()
        for node in _nodes(statements):
            if id(node) not in renamed and _name(node) in names:
                renamed.add(id(node))
                _rename(node, names[_name(node)])


def _nodes(statements: List[Stmt]) -> List[Any]:
    """Every node that stands for a name, in the order of the statements."""
    found: List[Any] = []
    work = list(reversed(statements))
    while work:
        statement = work.pop()
        found.extend(node for node in reversed(expressions_in(statement)) if _name(node))
        for inner in reversed(child_lists(statement)):
            work.extend(reversed(inner))
    return found


def _name(node: Any) -> str:
    if isinstance(node, Name):
        return node.id
    return node.name or "" if isinstance(node, Value) else ""


def _rename(node: Any, name: str) -> None:
    if isinstance(node, Name):
        node.id = name
    else:
        node.name = name


def _target(statement: Stmt) -> Optional[str]:
    """The one name that a statement assigns to."""
    if isinstance(statement, Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], Name):
        return statement.targets[0].id
    return None


def _taken_as_it_is(statement: Stmt) -> str:
    """The name whose value a statement assigns to another one, or drops."""
    if isinstance(statement, ExprStmt) or (isinstance(statement, Assign) and _target(statement)):
        return _name(resolve(statement.value))
    return ""


def _stored(statement: Stmt) -> List[str]:
    """The names that a statement stores, each as often as it does; what is no plain name counts with all names in it."""
    targets: List[Any] = [n.target for n in expressions_in(statement) if isinstance(n, NamedExpr)]
    if isinstance(statement, Assign):
        targets += statement.targets
    elif isinstance(statement, (AugAssign, For)):
        targets += [statement.target, statement.target]
    else:
        targets += [target for _, target in getattr(statement, "items", ()) if target is not None]
    return [node.id for target in targets for node in _names_in(target)]


def _names_in(target: Expr) -> List[Name]:
    return [node for node in expressions_in(Return(target)) if isinstance(node, Name)]


def _equal_names(statement: Stmt) -> Iterator[Any]:
    """Pairs of names of which the first holds what the second does, behind the statement."""
    for node in expressions_in(statement):
        if isinstance(node, NamedExpr) and isinstance(resolve(node.value), Name):
            yield node.target.id, resolve(node.value).id  # type: ignore[attr-defined]
    if isinstance(statement, Assign) and all(isinstance(target, Name) for target in statement.targets):
        names: List[str] = [target.id for target in statement.targets]  # type: ignore[attr-defined]
        value = resolve(statement.value)
        if isinstance(value, Name):
            yield from ((name, value.id) for name in names)
        else:
            yield from ((name, names[-1]) for name in names[:-1])


def _replace(statements: List[Stmt], names: Dict[str, str]) -> None:
    """Variables by those that they repeat, and what that leaves behind: `x = x`, `(x := x)`, and the end of the other one."""
    renamed = list({id(node): node for node in _nodes(statements) if _name(node) in names}.values())  # some stand twice
    deleted = {id(target) for target in renamed}
    for node in renamed:
        _rename(node, names[_name(node)])
    others = set(names.values())
    for current in all_lists(statements):
        for index in range(len(current) - 1, -1, -1):
            statement = current[index]
            if isinstance(statement, Delete):
                statement.targets = [target for target in statement.targets if id(target) not in deleted]
            elif isinstance(statement, Assign):
                _drop_equal_targets(statement, others)
            if isinstance(statement, (Delete, Assign)) and not statement.targets:
                del current[index]
            else:
                _drop_equal_walruses(statement, others)


def _drop_equal_targets(statement: Assign, others: Set[str]) -> None:
    """`x = x = value` is `x = value`, and nothing is left of `x = x`."""
    value = resolve(statement.value)
    seen = {value.id} if isinstance(value, Name) else set()
    kept: List[Expr] = []
    for target in statement.targets:
        if _name(target) not in seen or _name(target) not in others:
            kept.append(target)
        if _name(target):
            seen.add(_name(target))
    statement.targets = kept


def _drop_equal_walruses(statement: Stmt, others: Set[str]) -> None:
    for place in all_places(statement):
        node = resolve(place.node)
        while isinstance(node, NamedExpr) and node.target.id in others and node.target.id == _name(resolve(node.value)):
            node = resolve(node.value)
        place.put(node)


def _apart(value: Expr, statement: Stmt) -> bool:
    """Whether neither of the two stores a name that the other uses."""
    inside, outside = expressions_in(Return(value)), expressions_in(statement)
    stored = {n.target.id for n in inside if isinstance(n, NamedExpr)}
    stored_outside = {n.target.id for n in outside if isinstance(n, NamedExpr)}
    return stored.isdisjoint(_name(n) for n in outside) and stored_outside.isdisjoint(_name(n) for n in inside)

