"""Expressions as the compiler folds them: constants, conditions, membership tests, %-formatting.

Used by `tools.normalise`, whose docstring says what this is for. Every function gives a new node or the one it got.
"""

from __future__ import annotations

import ast
import operator
import sys
from typing import Any, Callable, Dict, List, Optional, Tuple, Type

BINARY: Dict[Type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.BitAnd: operator.and_,
}
UNARY: Dict[Type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
    ast.Not: operator.not_,
}
_NEGATED: Dict[Type[ast.cmpop], Type[ast.cmpop]] = {
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_LONGEST = 4096  # the compiler does not fold to longer strings and tuples
_WIDEST = 1 << 128


def constant(node: Optional[ast.AST]) -> Tuple[bool, Any]:
    """Whether a node is a constant expression, tuples of constants included, and its value."""
    if isinstance(node, ast.Constant):
        return True, node.value
    if isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Load):
        values = [constant(item) for item in node.elts]
        if all(known for known, _ in values):
            return True, tuple(value for _, value in values)
    return False, None


def literal(value: Any) -> ast.expr:
    """The node of a folded value; tuples as displays, which is how they are written."""
    if isinstance(value, tuple):
        return ast.Tuple([literal(item) for item in value], ast.Load())
    return ast.Constant(value)


def fold(compute: Callable[..., Any], *values: Any) -> Optional[ast.expr]:
    for value in values:
        if isinstance(value, int) and abs(value) > _WIDEST:
            return None
    if compute in (operator.pow, operator.lshift) and isinstance(values[1], int) and abs(values[1]) > 10000:
        return None
    if compute is operator.mul and any(isinstance(v, int) and abs(v) > _LONGEST for v in values):
        if any(isinstance(v, (str, bytes, tuple)) for v in values):
            return None
    try:
        result = compute(*values)
    except Exception:
        return None
    if isinstance(result, (str, bytes, tuple)) and len(result) > _LONGEST:
        return None
    return literal(result)


def negation(test: ast.expr) -> ast.expr:
    """The negation of a condition, with `not` as far inside as the compiler's jumps have it."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand
    if isinstance(test, ast.BoolOp):
        other = ast.Or() if isinstance(test.op, ast.And) else ast.And()
        return joined(other, [negation(value) for value in test.values])
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in _NEGATED:
        return ast.Compare(test.left, [_NEGATED[type(test.ops[0])]()], test.comparators)
    return ast.UnaryOp(ast.Not(), test)


def joined(op: ast.boolop, values: List[ast.expr]) -> ast.BoolOp:
    """`a and (b and c)` as `a and b and c`."""
    flat: List[ast.expr] = []
    for value in values:
        flat.extend(value.values if isinstance(value, ast.BoolOp) and type(value.op) is type(op) else [value])
    return ast.BoolOp(op, flat)


def condition(test: ast.expr) -> ast.expr:
    """A condition whose value is not used but for its truth."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return negation(condition(test.operand))
    if isinstance(test, ast.BoolOp):
        return joined(test.op, [condition(value) for value in test.values])
    if isinstance(test, ast.IfExp):
        return ast.IfExp(test.test, condition(test.body), condition(test.orelse))
    known, value = constant(test)
    return ast.Constant(bool(value)) if known else test


def is_none(node: Optional[ast.AST]) -> bool:
    return node is None or (isinstance(node, ast.Constant) and node.value is None)


def membership(node: ast.expr) -> ast.expr:
    """`x in [1, 2]` is compiled as `x in (1, 2)`, a set display of constants as a frozenset, whose order is no matter."""
    if isinstance(node, ast.List) and isinstance(node.ctx, ast.Load):
        if not any(isinstance(item, ast.Starred) for item in node.elts):
            return ast.Tuple(node.elts, ast.Load())
    if isinstance(node, ast.Set) and all(constant(item)[0] for item in node.elts):
        unique = {ast.dump(item): item for item in node.elts}
        return ast.Set([unique[key] for key in sorted(unique)])
    return node


def iterated(node: ast.expr) -> ast.expr:
    return membership(node) if isinstance(node, (ast.List, ast.Set)) else node


def percent(text: str, values: ast.Tuple) -> Optional[ast.expr]:
    """'%s' % (x,) is compiled as an f-string since 3.11."""
    if sys.version_info < (3, 11) or any(isinstance(item, ast.Starred) for item in values.elts):
        return None
    pieces = text.split("%")
    parts: List[ast.expr] = [ast.Constant(pieces[0])]
    waiting = list(values.elts)
    index = 1
    while index < len(pieces):
        piece = pieces[index]
        if not piece and index + 1 < len(pieces):
            parts.append(ast.Constant("%" + pieces[index + 1]))
            index += 2
            continue
        if piece[:1] not in ("s", "r", "a") or not piece or not waiting:
            return None
        parts.append(ast.FormattedValue(waiting.pop(0), {"s": 115, "r": 114, "a": 97}[piece[0]], None))
        parts.append(ast.Constant(piece[1:]))
        index += 1
    return None if waiting else merged(parts)


def merged(parts: List[ast.expr]) -> ast.expr:
    """An f-string of these parts, texts beside each other joined, and none where there is nothing to format."""
    kept: List[ast.expr] = []
    for part in parts:
        if isinstance(part, ast.Constant) and part.value == "":
            continue
        before = kept[-1] if kept else None
        if isinstance(part, ast.Constant) and isinstance(before, ast.Constant):
            kept[-1] = ast.Constant(str(before.value) + str(part.value))
        else:
            kept.append(part)
    if all(isinstance(part, ast.Constant) for part in kept):
        return ast.Constant("".join(str(part.value) for part in kept if isinstance(part, ast.Constant)))
    return ast.JoinedStr(kept)
