"""Conditions: branches that share a way out become `and`, `or` and `not`; branches that only choose a value become
expressions; comparisons that share an operand become chains.

All of it happens while an `if` is built from its parts, from the inside out, so that each branch is looked at once.
"""

from __future__ import annotations

from itertools import islice
from typing import Any, List, Optional, Sequence, Tuple

from ..lifting.tested import PASSED, passed
from ..lifting.values import Copied, Held, Joined, ManagerPart, Test
from ..prepare.cases import case_of
from ..prepare.matching import Case
from ..tree import BoolOp, Compare, Const, Expr, ExprStmt, IfExp, Raise, Return, Stmt, Unary
from .compare import same
from .jumps import Branch, Jump
from .logic import (
    always,
    behind,
    chain_of,
    choose,
    evaluated,
    is_falsy_value,
    is_truthy_value,
    make_and,
    make_or,
    may_begin_chain,
    negate,
    operands_of,
    plain,
)
from .rotation import merge_rotated


def make_if(
    test: Expr, body: List[Stmt], orelse: List[Stmt], held: Sequence[Any], offset: int, line: Optional[int]
) -> List[Stmt]:
    """The statements for `if test: body else: orelse`: one branch, or less."""
    case = case_of(test)
    if case is not None:
        body, orelse = _take_guard(case, body, orelse)
    if not only_for_statements(test):
        if isinstance(test, Unary) and test.op == "not" and _same_jump(body, orelse):
            test = test.operand  # it decides nothing
        _keep_tests(body)
        _keep_tests(orelse)
        merged = _merge_conditions(test, _with_tests(body), _with_tests(orelse), held, offset, line)
        if merged is not None:
            return merged
        collapsed = _collapse_values(test, body, orelse, held)
        if collapsed is not None:
            return collapsed
        chain = _chain_statement(test, body, orelse, held)
        if chain is not None:
            return chain
        rotated = merge_rotated(test, body, orelse, line)
        if rotated is not None:
            return rotated
    return [Branch(test, body, orelse, held, offset, line)]


def remake(branch: Branch) -> List[Stmt]:
    """The same after an arm has changed."""
    return make_if(branch.test, branch.body, branch.orelse, branch.held, branch.offset, branch.line)


def only_for_statements(test: Expr) -> bool:
    """Tests of except clauses and with blocks are never part of an expression."""
    while isinstance(test, Unary) and test.op == "not":
        test = test.operand
    if isinstance(test, Copied) and test.value is not None:
        test = test.value
    return isinstance(test, ManagerPart) or isinstance(test, Test) and test.kind in _OF_STATEMENTS


_OF_STATEMENTS = frozenset(("exception", "group", "case"))


def _take_guard(case: Case, body: List[Stmt], orelse: List[Stmt]) -> Tuple[List[Stmt], List[Stmt]]:
    """`case ... if guard`: where the guard does not hold, control goes to where the pattern's failure leads."""
    tested = _with_tests(body)  # of `a and not 1 or b`, the test of `a` decides nothing
    inner = tested[0] if len(tested) == 1 else None
    if not isinstance(inner, Branch) or only_for_statements(inner.test) or inner.held or case.guard is not None:
        return body, orelse
    if case.pops and any(one.line != case.line for one in body if isinstance(one, Branch)):
        return body, orelse  # the last case: an `if` in its body has the same code
    if _same_return(inner.orelse, orelse):
        case.guard = inner.test
        return inner.body, inner.orelse
    if _same_jump(inner.orelse, orelse):
        _forget(orelse)
        case.guard = inner.test
        return inner.body, inner.orelse
    if _same_jump(inner.body, orelse):
        _forget(orelse)
        case.guard = negate(inner.test)
        return inner.orelse, inner.body
    return body, orelse


def _leading_tests(code: List[Stmt]) -> Optional[List[Expr]]:
    """The tests of what stands before the last statement, if those are tests that decide nothing."""
    found: List[Expr] = []
    for statement in islice(code, len(code) - 1):
        if not isinstance(statement, Branch) or statement.body or statement.orelse or statement.held:
            return None
        if only_for_statements(statement.test):
            return None
        found.append(statement.test)
    return found


def _with_tests(code: List[Stmt]) -> List[Stmt]:
    """A branch behind tests that decide nothing (`if a or True` keeps the test of `a`): one branch that makes them all."""
    last = code[-1] if len(code) > 1 else None
    tests = _leading_tests(code) if isinstance(last, Branch) else None
    if not tests or not isinstance(last, Branch) or last.held or only_for_statements(last.test):
        return code
    test = last.test
    for one in reversed(tests):
        test = make_and(always(one), test)
    return [Branch(test, last.body, last.orelse, [], last.offset, last.line)]


def _keep_tests(code: List[Stmt]) -> None:
    """The same where what is tested is kept as a value, on the line of those tests: they become part of it, `c if a or True else None`."""
    last = code[-1] if len(code) > 1 else None
    tests = _leading_tests(code) if isinstance(last, Branch) else None
    if not tests or not isinstance(last, Branch) or last.held or last.line is None:
        return
    kept = _evaluated_first(last.test)
    if not isinstance(kept, Copied) or kept.name is not None or kept.value is None or isinstance(kept.value, (Held, Joined)):
        return
    if all(isinstance(one, Branch) and one.line == last.line for one in code[:-1]) and not only_for_statements(kept):
        kept.value = _behind_tests(tests, kept.value)
        del code[:-1]


def _evaluated_first(test: Expr) -> Expr:
    """The operand of a test that is evaluated before all others."""
    while True:
        if isinstance(test, Unary) and test.op == "not":
            test = test.operand
        elif isinstance(test, BoolOp):
            test = test.values[0]
        else:
            return test


# ---------------------------------------------------------------- and, or


def _merge_conditions(
    test: Expr, body: List[Stmt], orelse: List[Stmt], held: Sequence[Any], offset: int, line: Optional[int]
) -> Optional[List[Stmt]]:
    inner = body[0] if len(body) == 1 else None
    if isinstance(inner, Branch) and not only_for_statements(inner.test):
        other = orelse[0] if len(orelse) == 1 else None
        if isinstance(other, Branch) and not only_for_statements(other.test):
            one_test = inner.line == other.line == line
            if _same_jump(inner.body, other.body, one_test) and _same_jump(inner.orelse, other.orelse, one_test):
                _forget(other.body)
                _forget(other.orelse)
                choice = IfExp(test, inner.test, other.test, offset)
                return make_if(choice, inner.body, inner.orelse, held, offset, line)
            if _same_jump(inner.body, other.orelse, one_test) and _same_jump(inner.orelse, other.body, one_test):
                _forget(other.body)
                _forget(other.orelse)
                choice = IfExp(test, inner.test, negate(other.test), offset)
                return make_if(choice, inner.body, inner.orelse, held, offset, line)
            if one_test and not (inner.held or other.held):
                chosen = _choose_behind_test(test, inner, other)
                if chosen is not None:
                    return make_if(chosen[0], chosen[1].body, chosen[1].orelse, held, offset, line)
        kept = _merge_kept_values(test, inner, orelse)
        if kept is not None:
            return make_if(kept[0], inner.body, kept[1], held, offset, line)
        if _same_jump(inner.orelse, orelse, inner.line == line) or _same_end_of_chain(test, inner.test, inner.orelse, orelse):
            _forget_line(inner.orelse, orelse)
            _forget(orelse)
            both = make_and(test, inner.test, absorb=True)
            return make_if(both, inner.body, inner.orelse, held, offset, line)
        if _same_jump(inner.body, orelse, inner.line == line) or _same_end_of_chain(test, inner.test, inner.body, orelse, negated=True):
            _forget(orelse)
            if (inner.line == line or _goes_on_with_chain(test)) and _same_jump(inner.body, inner.orelse, True):  # it decides nothing
                return make_if(make_and(test, inner.test), inner.body, inner.orelse, held, offset, line)
            either = make_or(negate(test), inner.test, absorb=True)
            return make_if(either, inner.body, inner.orelse, held, offset, line)
        if _same_jump(inner.body, inner.orelse) and inner.line == line and not inner.held:
            _forget(inner.orelse)  # a test that decides nothing, behind one that does: `a and (b or True)`
            return make_if(make_and(test, always(inner.test)), inner.body, orelse, held, offset, line)
    inner = orelse[0] if len(orelse) == 1 else None
    if isinstance(inner, Branch) and not only_for_statements(inner.test):
        if _same_jump(inner.body, body, inner.line == line):
            _forget(body)
            goes_on = _goes_on_with_chain(test) or _may_fail_on(test) and inner.line == line
            if goes_on and _same_jump(inner.body, inner.orelse, True):  # likewise
                return make_if(make_and(negate(test), inner.test), inner.body, inner.orelse, held, offset, line)
            either = make_or(test, inner.test, absorb=True)
            return make_if(either, inner.body, inner.orelse, held, offset, line)
        if _same_jump(inner.orelse, body, inner.line == line):
            _forget(body)
            both = make_and(negate(test), inner.test, absorb=True)
            return make_if(both, inner.body, inner.orelse, held, offset, line)
    return None


def _may_fail_on(test: Expr) -> bool:
    """Whether this looks like the opposite of what was written: `not a`, or the last test of a chain that was `b is c`."""
    return _goes_on_with_chain(test) or isinstance(test, Unary) and test.op == "not"


def _goes_on_with_chain(test: Expr) -> bool:
    """Whether a comparison, or its opposite, compares what another one has compared before it."""
    compared = test.operand if isinstance(test, Unary) and test.op == "not" else test
    return isinstance(compared, Compare) and isinstance(compared.left, Copied)


def _choose_behind_test(test: Expr, one: Branch, other: Branch) -> Optional[Tuple[Expr, Branch]]:
    """Two branches of a condition, of which one tests and decides nothing: `a if b else c or True`."""
    for nothing, decides in ((one, other), (other, one)):
        if not _same_jump(nothing.body, nothing.orelse):
            continue
        holds = _same_jump(nothing.body, decides.body)
        if holds or _same_jump(nothing.body, decides.orelse):
            _forget(nothing.body)
            _forget(nothing.orelse)
            value = always(nothing.test) if holds else make_and(nothing.test, Const(False))
            arms = (value, decides.test) if nothing is one else (decides.test, value)
            return IfExp(test, arms[0], arms[1], test.offset), decides
    return None


def _merge_kept_values(test: Expr, inner: Branch, orelse: List[Stmt]) -> Optional[Tuple[Expr, List[Stmt]]]:
    """Two tests that leave to one place, each with the value it tested: one test of `a and b`, or of `a or b`."""
    if len(inner.orelse) != 1 or len(orelse) != 1:
        return None
    first, second = orelse[0], inner.orelse[0]
    if not isinstance(first, Jump) or not isinstance(second, Jump) or first.label is not second.label:
        return None
    slots = [n for n, (a, b) in enumerate(zip(first.stack, second.stack)) if a is not b]
    if len(slots) != 1:
        return None
    one, other = first.stack[slots[0]], second.stack[slots[0]]
    if is_falsy_value(test, one) and is_falsy_value(inner.test, other):
        value = Copied(make_and(evaluated(test), inner.test), test.offset)
        merged: Expr = value
    elif is_truthy_value(negate(test), one) and is_truthy_value(negate(inner.test), other):
        value = Copied(make_or(evaluated(negate(test)), negate(inner.test)), test.offset)
        merged = Unary("not", value, test.offset)
    else:
        return None
    value.evaluated = True
    _forget(orelse)
    stack = list(second.stack)
    stack[slots[0]] = value
    return merged, [Jump(second.label, stack, second.held, second.offset, second.line, second)]


def _same_return(one: List[Stmt], other: List[Stmt]) -> bool:
    """The compiler repeats a short return instead of jumping to it."""
    if len(one) != 1 or len(other) != 1 or not isinstance(one[0], Return) or not isinstance(other[0], Return):
        return False
    first, second = one[0].value, other[0].value
    return isinstance(first, Const) and isinstance(second, Const) and first.value is second.value


def _same_jump(one: List[Stmt], other: List[Stmt], one_test: bool = False) -> bool:
    """`one_test`: of tests on one line, of which a jump may have got its line from the statement that it passes over."""
    if len(one) != 1 or len(other) != 1:
        return False
    first, second = one[0], other[0]
    if isinstance(first, Return) and isinstance(second, Return):
        return first.value is second.value and isinstance(first.value, Held)
    if not isinstance(first, Jump) or not isinstance(second, Jump) or first.label is not second.label:
        return False
    if first.line != second.line and not (one_test and None in (first.line, second.line)):
        return False  # two statements, of which one or both were written
    return all(a is b for a, b in zip(first.stack, second.stack))


def _same_end_of_chain(
    test: Expr, following: Expr, one: List[Stmt], other: List[Stmt], negated: bool = False
) -> bool:
    """A chain of comparisons that the compiler let end in two copies of the same jump, return or raise.

    The copy that drops the middle operand first has its line, which says nothing. `negated`: the opposite of `following` is next."""
    if len(one) != 1 or len(other) != 1 or not isinstance(one[0], (Return, Raise, Jump)):
        return False
    compared = operands_of("and", test)[-1]
    if not may_begin_chain(compared):
        return False
    following = negate(following) if negated else following
    if chain_of(compared, operands_of("and", following)[0]) is None:
        return False
    first, second = one[0], other[0]
    if isinstance(first, Jump) and isinstance(second, Jump):
        if first.label is second.label:
            return all(a is b for a, b in zip(first.stack, second.stack))
    return same(one, other)


def _forget_line(kept: List[Stmt], other: List[Stmt]) -> None:
    """A jump that is joined with one from elsewhere was not written here."""
    if isinstance(kept[0], Jump) and isinstance(other[0], Jump) and kept[0].line != other[0].line:
        kept[0].line = None


def _chain_statement(test: Expr, body: List[Stmt], orelse: List[Stmt], held: Sequence[Any]) -> Optional[List[Stmt]]:
    """A chain of comparisons whose value is dropped: one arm goes on with it, both lead to the same place."""
    compared = body[0] if len(body) == 2 and not held else None
    if not isinstance(compared, ExprStmt):
        return None
    value = plain(compared.value)
    if chain_of(operands_of("and", test)[-1], operands_of("and", value)[0]) is None:
        return None
    if not isinstance(body[1], (Jump, Return)) or not same(body[1:], orelse):
        return None
    _forget(orelse)
    return [ExprStmt(make_and(test, value), compared.offset), body[1]]


def _forget(jump: List[Stmt]) -> None:
    if isinstance(jump[0], Jump):
        jump[0].label.uses -= 1


# ---------------------------------------------------------------- values


def _collapse_values(
    test: Expr, body: List[Stmt], orelse: List[Stmt], held: Sequence[Any]
) -> Optional[List[Stmt]]:
    """Two arms that do nothing but give one place different values: a conditional expression."""
    if not body or not orelse:
        return None
    tests, others = _leading_tests(body), _leading_tests(orelse)
    if tests is None or others is None:
        return None
    first, second = body[-1], orelse[-1]
    if isinstance(first, Return) and isinstance(second, Return):
        if tests or others:
            return None
        value = choose(test, first.value, second.value)
        if isinstance(value, IfExp):
            return None  # two returns, as far as one can know
        return [Return(value, second.offset)]
    if not isinstance(first, Jump) or not isinstance(second, Jump) or first.label is not second.label:
        return None
    slots = [n for n, (a, b) in enumerate(zip(first.stack, second.stack)) if a is not b]
    passes = not slots and bool(first.stack) and first.stack[-1] is PASSED
    if len(slots) != 1 and not passes:
        return None
    if any(all(v is not h for v in first.stack) for h in held):
        return None  # the arms use what was evaluated before the test
    slot = -1 if passes else slots[0]
    stack = list(first.stack)
    one, other = _behind_tests(tests, first.stack[slot]), _behind_tests(others, second.stack[slot])
    stack[slot] = passed(test, one, other) or choose(test, one, other)
    first.label.uses -= 1
    kept = [h for h in held if isinstance(h, Held) and h.crossed]  # evaluated here, whoever uses them
    result: List[Stmt] = [Jump(first.label, stack, kept, first.offset, first.line, first)]
    return result


def _behind_tests(tests: List[Expr], value: Expr) -> Expr:
    for test in reversed(tests):
        value = behind(always(test), value)
    return value
