"""The places in a statement at which expressions stand, in the order in which they are evaluated.

For passes that move expressions: what stands at a place can be exchanged, and what runs before it is known.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

from ..lifting.values import ClosureCell, resolve
from ..tree import (
    Assign,
    Attr,
    Binary,
    BoolOp,
    Call,
    Compare,
    Const,
    Dict_,
    Expr,
    ExprStmt,
    If,
    IfExp,
    Item,
    List_,
    Name,
    NamedExpr,
    Return,
    Set_,
    Slice,
    Starred,
    Stmt,
    Tuple_,
    Unary,
    With,
)

DEEPEST = 12  # what lies deeper is not looked into


class Place:
    """An attribute or item that holds an expression; `part` where the item is a pair."""

    __slots__ = ("holder", "key", "part")

    def __init__(self, holder: Any, key: Any, part: Optional[int] = None) -> None:
        self.holder = holder
        self.key = key
        self.part = part

    @property
    def node(self) -> Any:
        held = self.holder[self.key] if isinstance(self.holder, list) else getattr(self.holder, self.key)
        return held if self.part is None else held[self.part]

    def put(self, node: Expr) -> None:
        if self.part is not None:
            pair = list(self.holder[self.key])
            pair[self.part] = node
            self.holder[self.key] = tuple(pair)
        elif isinstance(self.holder, list):
            self.holder[self.key] = node
        else:
            setattr(self.holder, self.key, node)


def _listed(items: List[Any]) -> List[Place]:
    return [Place(items, index) for index in range(len(items))]


def _pairs(items: List[Tuple[Any, Any]]) -> List[Place]:
    return [Place(items, i, part) for i, pair in enumerate(items) for part in (0, 1) if isinstance(pair[part], Expr)]


def _fields(*names: str) -> Callable[[Any], List[Place]]:
    return lambda node: [Place(node, name) for name in names if getattr(node, name) is not None]


# kind -> (its operands in the order of evaluation, whether evaluating it then runs code)
_OPERANDS: Dict[type, Tuple[Callable[[Any], List[Place]], bool]] = {
    Attr: (_fields("value"), True),
    Item: (_fields("value", "key"), True),
    Call: (lambda node: [Place(node, "func"), *_listed(node.args), *_pairs(node.keywords)], True),
    Unary: (_fields("operand"), True),
    Binary: (_fields("left", "right"), True),
    Compare: (lambda node: [Place(node, "left"), Place(node.comparators, 0)], True),
    BoolOp: (lambda node: [Place(node.values, 0)], True),
    IfExp: (_fields("test"), True),
    Starred: (_fields("value"), True),
    Set_: (lambda node: _listed(node.items), True),
    Dict_: (lambda node: _pairs(node.items), True),
    Tuple_: (lambda node: _listed(node.items), False),
    List_: (lambda node: _listed(node.items), False),
    Slice: (_fields("start", "stop", "step"), False),
    NamedExpr: (_fields("value"), False),
}

_STATEMENTS: Dict[type, Callable[[Any], List[Place]]] = {
    Assign: _fields("value"),
    ExprStmt: _fields("value"),
    Return: _fields("value"),
    If: _fields("test"),
    With: lambda statement: [Place(statement.items, 0, 0)],
}


def evaluated(statement: Stmt) -> Iterator[Optional[Place]]:
    """The names and constants that a statement evaluates first, in order; None, and no more, where code runs that may do anything."""
    pending = [(place, 0) for place in reversed(_first_places(statement))]
    while pending:
        place, depth = pending.pop()
        node = resolve(place.node)
        place.put(node)
        kind = node.__class__
        if isinstance(node, (Name, Const, ClosureCell)):
            yield place
        elif kind in _OPERANDS and depth < DEEPEST:
            operands, runs = _OPERANDS[kind]
            if runs:
                pending.append((_END, depth))
            pending.extend((inner, depth + 1) for inner in reversed(operands(node)))
        else:
            yield None
            return


def all_places(statement: Stmt) -> Iterator[Place]:
    """Every place in a statement, as far as it is known; what stands at one may be exchanged before the next is asked for."""
    pending = _first_places(statement)
    while pending:
        place = pending.pop()
        yield place
        node = resolve(place.node)
        if node.__class__ in _OPERANDS:
            pending.extend(_OPERANDS[node.__class__][0](node))


class _Effect(Expr):
    """Stands where an operation runs, behind its operands."""

    __slots__ = ()


_END = Place([_Effect()], 0)


def _first_places(statement: Stmt) -> List[Place]:
    places = _STATEMENTS.get(statement.__class__)
    return [] if places is None else places(statement)


def depth_of(node: Any, most: int) -> int:
    """How deep an expression is nested, counted up to `most`."""
    node = resolve(node)
    if most <= 0 or node.__class__ not in _OPERANDS:
        return 0 if isinstance(node, (Name, Const, ClosureCell)) else most
    operands = _OPERANDS[node.__class__][0](node)
    return 1 + max([depth_of(place.node, most - 1) for place in operands], default=0)
