"""Operators over constants, as the compiler folds them: their outcome is fixed, so they are no events.

Code that nobody compiled from source may add two constants at run time; recompiled from text it does not. Only exact
builtin types, only what does not raise, and only results of a moderate size. A loop that only counts would be run to
its end this way: `prove` tries again without folding where a proof fails.
"""

from __future__ import annotations

import operator
from typing import Any, Callable, Dict, Optional

from depyf.bytecode.codes import inverting_a_bool_warns
from depyf.proof.values import Values

_UNARY: Dict[str, Callable[[Any], Any]] = {"-": operator.neg, "+": operator.pos, "~": operator.invert}
_BINARY: Dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "&": operator.and_,
    "^": operator.xor,
    "|": operator.or_,
}
_NUMBERS = frozenset((int, bool, float, complex))
_STRINGS = frozenset((str, bytes))
_COUNTS = frozenset((int, bool))  # of repetitions
_BITS = 4096  # of a number that is computed
_LENGTH = 8192  # of a string or tuple


def fold_unary(values: Values, op: str, number: int) -> Optional[int]:
    value = values.constant.get(number)
    if not values.folding or type(value) not in _NUMBERS or op == "~" and type(value) is bool and inverting_a_bool_warns():
        return None
    return _constant(values, _UNARY[op], value)


def fold_binary(values: Values, op: str, first: int, second: int) -> Optional[int]:
    """The constant that the operator gives, or None if it is not known to give one."""
    if not values.folding:
        return None
    if first in values.items or second in values.items:
        return _fold_tuples(values, op, first, second)
    one, other = values.constant.get(first), values.constant.get(second)
    if op not in _BINARY or not (type(one) in _NUMBERS and type(other) in _NUMBERS and _small(op, one, other)):
        if not _strings(op, one, other):
            return None
    return _constant(values, _BINARY[op], one, other)


def _constant(values: Values, function: Callable[..., Any], *arguments: Any) -> Optional[int]:
    try:
        outcome = function(*arguments)
        values.folded = True
        return values.const(outcome)
    except (ArithmeticError, TypeError, ValueError):
        return None


def _small(op: str, one: Any, other: Any) -> bool:
    """Whether the outcome cannot be huge: floats never are."""
    if not (isinstance(one, int) and isinstance(other, int)) or not one or not other:
        return True
    if op == "**":
        return 0 <= other <= _BITS and one.bit_length() * other <= _BITS
    if op == "<<":
        return 0 <= other <= _BITS and one.bit_length() <= _BITS
    return one.bit_length() <= _BITS and other.bit_length() <= _BITS


def _strings(op: str, one: Any, other: Any) -> bool:
    if op == "+":
        return type(one) is type(other) and type(one) in _STRINGS and len(one) + len(other) <= _LENGTH
    if op == "*":
        if type(one) in _COUNTS:
            one, other = other, one
        return type(one) in _STRINGS and type(other) in _COUNTS and len(one) * other <= _LENGTH
    return False


def _fold_tuples(values: Values, op: str, first: int, second: int) -> Optional[int]:
    one, other = values.items.get(first), values.items.get(second)
    if op == "+" and one is not None and other is not None:
        values.folded = True
        return values.tuple_of(one + other)
    if op == "*":
        items, count = (one, second) if one is not None else (other, first)
        times = values.index(count)
        if items is not None and times is not None and len(items) * times <= _LENGTH:
            values.folded = True
            return values.tuple_of(items * times)
    return None


def fold_item(values: Values, target: int, key: int, part: Optional[slice]) -> Optional[int]:
    """A character of a constant string, or an item of constant bytes, or the part of them that a constant slice names."""
    text: Any = values.constant.get(target)
    if type(text) not in _STRINGS:
        return None
    if part is not None:
        return values.const(text[part])
    position = values.index(key)
    return values.const(text[position]) if position is not None and -len(text) <= position < len(text) else None
