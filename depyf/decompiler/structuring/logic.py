"""Conditions as a person writes them: `not`, `and`, `or`, chains of comparisons, conditional expressions.

Pure functions over expressions. Copies are told apart by identity: a comparison whose right side is the very copy that
the next one has on its left is a chain, and a test of the very value that is kept is an `and` or an `or`.
"""

from __future__ import annotations

from typing import List, Optional

from ..lifting.values import Copied, Held, Joined
from ..tree import BoolOp, Compare, Const, Expr, IfExp, Unary
from .compare import same


def negate(test: Expr) -> Expr:
    """`not test`, written as a person would."""
    if isinstance(test, Unary) and test.op == "not":
        return test.operand
    if isinstance(test, Compare) and len(test.ops) == 1 and test.ops[0] in _OPPOSITE:
        return Compare(test.left, [_OPPOSITE[test.ops[0]]], test.comparators, test.offset)
    if isinstance(test, BoolOp):
        negated = [negate(v) for v in test.values]
        if _count_not(negated) <= _count_not(test.values):
            make = make_or if test.op == "and" else make_and
            result = negated[0]
            for value in negated[1:]:
                result = make(result, value)
            return result
    if isinstance(test, IfExp):
        arms = [negate(test.body), negate(test.orelse)]
        if _count_not(arms) < _count_not([test.body, test.orelse]):
            return IfExp(test.test, arms[0], arms[1], test.offset)
    return Unary("not", test, test.offset)


_OPPOSITE = {"is": "is not", "is not": "is", "in": "not in", "not in": "in"}


def _count_not(values: List[Expr]) -> int:
    return sum(1 for v in values if isinstance(v, Unary) and v.op == "not")


def make_or(one: Expr, other: Expr, absorb: bool = False) -> Expr:
    """`one or other`; `absorb` as below."""
    values, rest = operands_of("or", one), operands_of("or", other)
    chain = chain_of(negate(values[-1]), negate(rest[0]))
    if chain is not None:  # not a < b or not b < c: the opposite of a < b < c
        chain = Unary("not", chain, one.offset)
    return _joined("or", one, other, chain, absorb)


def make_and(one: Expr, other: Expr, absorb: bool = False) -> Expr:
    """`one and other`; a comparison whose right side is the very left side of the next one becomes a chain.

    `absorb`: nobody looks at `other` any more. A long condition grows at its front, operand by operand; it is not copied each time."""
    chain = chain_of(operands_of("and", one)[-1], operands_of("and", other)[0])
    return _joined("and", one, other, chain, absorb)


def _joined(op: str, one: Expr, other: Expr, chain: Optional[Expr], absorb: bool) -> Expr:
    """The operands of `one`, then those of `other`; `chain` stands for the two that meet."""
    values, rest = operands_of(op, one), operands_of(op, other)
    flat = _is_flat(op, one) and _is_flat(op, other)  # then looking at each operand again would find nothing
    if chain is not None:
        values = [*values[:-1], chain]
    if absorb and flat and isinstance(other, BoolOp) and other.op == op:
        rest[: 0 if chain is None else 1] = values
        other.offset = one.offset
        return other
    values = [*values, *(rest if chain is None else rest[1:])]
    if not flat:
        values = _grouped(op, values)
    return values[0] if len(values) == 1 else BoolOp(op, values, one.offset, flat)


def always(test: Expr) -> Expr:
    """A condition that tests and holds whatever comes of it."""
    while isinstance(test, Unary) and test.op == "not":
        test = test.operand
    return make_or(test, Const(True))


def _grouped(op: str, values: List[Expr]) -> List[Expr]:
    """(a and b) and c: where a test was left unprotected, it stood in parentheses with the next."""
    result: List[Expr] = []
    group: List[Expr] = []
    for value in values:
        group.extend(operands_of(op, value) if group else [value])
        if not _is_unprotected(value):
            result.append(group[0] if len(group) == 1 else BoolOp(op, group, group[0].offset))
            group = []
    if not result:
        return group
    if len(result) == 1 and not group:
        return operands_of(op, result[0])
    return result + group


def _is_flat(op: str, value: Expr) -> bool:
    """Whether no operand of this is unprotected."""
    inner = _seen_through(value) if isinstance(value, Copied) and value.evaluated else value
    if isinstance(inner, BoolOp) and inner.op == op:
        return inner.flat
    return not _is_unprotected(value)


def _is_unprotected(value: Expr) -> bool:
    """Whether the test of this operand was."""
    while True:
        if isinstance(value, BoolOp):
            value = value.values[-1]
        elif isinstance(value, Copied) and not value.unprotected and isinstance(value.value, BoolOp):
            value = value.value
        else:
            return isinstance(value, Copied) and value.unprotected


def behind(test: Expr, value: Expr) -> Expr:
    """`value` after a test that holds whatever comes of it; that of `a and b` stands before `a`, so that it is grouped as it was."""
    if isinstance(value, BoolOp):
        return BoolOp(value.op, [behind(test, value.values[0]), *value.values[1:]], test.offset, value.flat)
    return IfExp(test, value, NEVER, test.offset)


NEVER = Const(None)  # what would be the value if a test did not hold that always does


def operands_of(op: str, value: Expr) -> List[Expr]:
    inner = _seen_through(value) if isinstance(value, Copied) and value.evaluated else value
    if isinstance(inner, BoolOp) and inner.op == op:
        return inner.values
    return [value]


def _seen_through(value: Expr) -> Expr:
    """What was copied, unless it has a name by now: then it is evaluated where it got that."""
    return value.value if isinstance(value, Copied) and value.name is None and value.value is not None else value


def may_begin_chain(value: Expr) -> bool:
    """Whether a comparison keeps a copy of its right side for another one."""
    compared = _seen_through(value)
    return isinstance(compared, Compare) and isinstance(compared.comparators[-1], Copied)


def chain_of(one: Expr, other: Expr) -> Optional[Expr]:
    one = _seen_through(one)
    if isinstance(other, Copied) and other.evaluated:
        other = _seen_through(other)
    if not isinstance(one, Compare) or not isinstance(other, Compare):
        return None
    if one.comparators[-1] is not other.left or not isinstance(other.left, Copied):
        return None
    return Compare(one.left, one.ops + other.ops, one.comparators + other.comparators, one.offset)


def choose(test: Expr, when_true: Expr, when_false: Expr) -> Expr:
    """`when_true if test else when_false`, or what it is short for."""
    when_true, when_false = plain(when_true), plain(when_false)
    if is_falsy_value(test, when_false):
        return make_and(evaluated(test), when_true)
    opposite = deny(test)
    if is_truthy_value(opposite, when_false):
        return make_or(evaluated(opposite), when_true)
    if is_falsy_value(opposite, when_true):  # what follows the test is laid out far behind
        return make_and(evaluated(opposite), when_false)
    if is_truthy_value(test, when_true):
        return make_or(evaluated(test), when_false)
    if may_begin_chain(test) and isinstance(when_true, IfExp):  # a chain whose ends were copied
        goes_on = chain_of(test, operands_of("and", when_true.test)[0]) is not None
        if same(when_true.orelse, when_false) and (goes_on or not same(when_true.body, when_false)):
            return IfExp(make_and(test, when_true.test), when_true.body, when_false, test.offset)
        if same(when_true.body, when_false):
            return IfExp(make_or(opposite, when_true.test), when_false, when_true.orelse, test.offset)
    return IfExp(test, when_true, when_false, test.offset)


def deny(test: Expr) -> Expr:
    """The opposite of `test`, with every operand turned round whatever that costs in `not`s."""
    if not isinstance(test, BoolOp):
        return negate(test)
    make = make_or if test.op == "and" else make_and
    values = [deny(v) for v in test.values]
    result = values[0]
    for value in values[1:]:
        result = make(result, value)
    return result


def evaluated(test: Expr) -> Expr:
    """A test whose value is used: `not (a or b)` would find its operand and test that once more, so `not a and not b`."""
    if isinstance(test, Unary) and test.op == "not" and isinstance(test.operand, BoolOp):
        return evaluated(deny(test.operand))
    if isinstance(test, BoolOp):
        values = [evaluated(value) for value in test.values]
        if any(one is not other for one, other in zip(values, test.values)):
            return BoolOp(test.op, values, test.offset, test.flat)
    return test


def plain(value: Expr) -> Expr:
    """A value that was held only to reach the place where it is chosen."""
    while isinstance(value, (Held, Joined)) and value.value is not None and value.name is None:
        value = value.value
    return value


def is_falsy_value(test: Expr, value: Expr) -> bool:
    """Whether `value` is what `test` evaluates to when it is false."""
    while True:
        if test is value:
            return isinstance(value, Copied)
        if isinstance(test, BoolOp) and test.op == "or":
            test = test.values[-1]
        else:
            return False


def is_truthy_value(test: Expr, value: Expr) -> bool:
    while True:
        if test is value:
            return isinstance(value, Copied)
        if isinstance(test, BoolOp) and test.op == "and":
            test = test.values[-1]
        else:
            return False
