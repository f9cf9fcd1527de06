"""Walking expressions: everything that a statement holds besides the statements inside it."""

from __future__ import annotations

import operator
from typing import Any, Callable, Dict, Iterable, List

from ..lifting.values import Builtin, Local, Marker, Value
from ..tree import Const, Expr, Generator, Match, Name, Parameter, Stmt
from ..tree import ExceptClause as Clause

_STATEMENTS_INSIDE = frozenset(("body", "orelse", "finalbody", "cases", "offset", "line"))
_NO_EXPRESSIONS = frozenset(("offset", "name", "id", "op", "ops", "kind", "conversion", "text", "prefix", "is_async"))
_LEAVES = frozenset((Name, Local, Const, Builtin))
_NO_NODES = frozenset((type(None), str, bool, int))
_PARTS = frozenset((Generator, Clause, Parameter))

Inside = Callable[[Any], Iterable[Any]]

_inside: Dict[type, Inside] = {}  # what is not there yet is found out when it is met


def _inside_of(kind: type) -> Inside:
    """A function that gives what a node of this class holds: expressions, lists of them, and things of no interest."""
    found: Inside
    if issubclass(kind, Value):
        found = _inside_value
    elif kind in (list, tuple):
        found = iter
    elif kind in _PARTS or issubclass(kind, (Stmt, Expr)):
        found = _fields_of(kind)
    else:
        found = _nothing
    _inside[kind] = found
    return found


def _nothing(value: Any) -> Iterable[Any]:
    return ()


def _fields_of(kind: type) -> Inside:
    """Gives the attributes of a node in which there may be expressions."""
    without = _STATEMENTS_INSIDE if issubclass(kind, Stmt) or kind is Clause else _NO_EXPRESSIONS
    names = [n for base in kind.__mro__ for n in getattr(base, "__slots__", ()) if n not in without]
    if issubclass(kind, Marker):
        names = [n for n in names if n == "value"]
    if not names:
        return _nothing
    if len(names) == 1:
        name = names[0]
        return lambda value: (getattr(value, name, None),)
    get = operator.attrgetter(*names)

    def fields(value: Any) -> Iterable[Any]:
        try:
            return get(value)
        except AttributeError:  # one of them was never set
            return [getattr(value, name, None) for name in names]

    return fields


def expressions_in(statement: Any) -> List[Expr]:
    """Every expression object directly or deeply in `statement`, but not in the statements inside it."""
    found: List[Expr] = []
    kind = statement.__class__
    work = [*(_inside.get(kind) or _inside_of(kind))(statement)]
    if kind is Match:
        work.extend([case.guard for case in statement.cases])
    pop, append, inside, leaves, nothing = work.pop, found.append, _inside, _LEAVES, _NO_NODES
    while work:
        value = pop()
        kind = value.__class__
        if kind in leaves:
            append(value)
        elif kind not in nothing:
            if isinstance(value, Expr):
                append(value)
            work += (inside.get(kind) or _inside_of(kind))(value)
    return found


def _inside_value(value: Any) -> List[Any]:
    found = []
    if value.name is None and value.value is not None:
        found.append(value.value)
    for name in ("iterator", "function"):
        if hasattr(value, name):
            found.append(getattr(value, name))
    if hasattr(value, "fields"):
        found.extend(value.fields.values())
    if hasattr(value, "args"):
        found.extend(value.args)
    return found
