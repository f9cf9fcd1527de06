"""Walking expressions: everything that a statement holds besides the statements inside it."""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

from .tree import Const, Expr, Generator, Match, Name, Parameter, Stmt
from .tree import ExceptClause as Clause
from .values import Builtin, Local, Marker, Value

_STATEMENTS_INSIDE = frozenset(("body", "orelse", "finalbody", "cases", "offset", "line"))
_NO_EXPRESSIONS = frozenset(("offset", "name", "id", "op", "ops", "kind", "conversion", "text", "prefix", "is_async"))
_LEAVES = frozenset((Name, Local, Const, Builtin))
_PARTS = frozenset((Generator, Clause, Parameter))

_fields: Dict[type, Tuple[str, ...]] = {}


def _fields_of(kind: type) -> Tuple[str, ...]:
    """The attributes of a node class in which there may be expressions."""
    found = _fields.get(kind)
    if found is None:
        without = _STATEMENTS_INSIDE if issubclass(kind, Stmt) or kind is Clause else _NO_EXPRESSIONS
        names = [n for base in kind.__mro__ for n in getattr(base, "__slots__", ()) if n not in without]
        if issubclass(kind, Marker):
            names = [n for n in names if n == "value"]
        found = _fields[kind] = tuple(names)
    return found


def expressions_in(statement: Any) -> List[Expr]:
    """Every expression object directly or deeply in `statement`, but not in the statements inside it."""
    found: List[Expr] = []
    work: List[Any] = [getattr(statement, name, None) for name in _fields_of(statement.__class__)]
    if isinstance(statement, Match):
        work.extend(case.guard for case in statement.cases)
    while work:
        value = work.pop()
        kind = value.__class__
        if value is None or kind is str:
            continue
        if kind in _LEAVES:
            found.append(value)
        elif kind is list or kind is tuple:
            work.extend(value)
        elif isinstance(value, Value):
            found.append(value)
            _inside_value(value, work)
        elif isinstance(value, Expr):
            found.append(value)
            work.extend([getattr(value, name, None) for name in _fields_of(kind)])
        elif kind in _PARTS:
            work.extend([getattr(value, name, None) for name in _fields_of(kind)])
    return found


def _inside_value(value: Any, work: List[Any]) -> None:
    if value.name is None and value.value is not None:
        work.append(value.value)
    for name in ("iterator", "function"):
        if hasattr(value, name):
            work.append(getattr(value, name))
    if hasattr(value, "fields"):
        work.extend(value.fields.values())
    if hasattr(value, "args"):
        work.extend(value.args)
