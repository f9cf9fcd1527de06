"""Walruses that look like assignments to several targets, and f-strings without a value: what the compiler left as it was written
tells them.

It computes what it can of constants; behind `in`, and as what a loop or a comprehension goes through, it makes a tuple of a list and a
constant of a set of constants. But older compilers do not look into a walrus. So where such a list is still one, it stood in a
walrus, and must again. Nor do compilers before 3.14 look into an f-string, which may be a constant in such a set; and none looks
into a conditional expression whose test is a constant.
"""

from __future__ import annotations

from typing import Any, List, Set

from depyf.bytecode.codes import comprehensions_fold, walruses_are_folded

from ..lifting.values import resolve
from ..structuring.expressions import expressions_in
from ..structuring.walk import all_lists
from ..tree import (
    Assign,
    Binary,
    Compare,
    Comprehension,
    Const,
    Expr,
    ExprStmt,
    For,
    IfExp,
    JoinedStr,
    List_,
    Name,
    NamedExpr,
    Set_,
    Starred,
    Stmt,
    Tuple_,
    Unary,
)


def keep_walruses(statements: List[Stmt]) -> None:
    """a = b = c in [d] -> b = (a := c in [d])"""
    for current in all_lists(statements):
        for statement in current:
            if isinstance(statement, Assign) and len(statement.targets) > 1:
                first = statement.targets[0]
                if isinstance(first, Name) and _is_unfolded(statement.value):
                    statement.value = NamedExpr(first, statement.value, statement.offset)
                    del statement.targets[0]


def keep_displays(statements: List[Stmt], asks: bool, iterates: bool, in_comprehension: bool) -> None:
    """for a in [b] -> for a in [b] if True else (); `asks` tells whether there is an `in` that is no part of a `for` at all,
    and `iterates`, whether there is a `for`."""
    for current in all_lists(statements):
        for statement in current:
            if isinstance(statement, For) and _for_folds(statement, in_comprehension) and _would_be_folded(statement.iter):
                statement.iter = _chosen(statement.iter)
            found = [e for e in expressions_in(statement) if e.__class__ in _FOLDED_IN] if asks or iterates else []
            inside = set() if not found or walruses_are_folded() else _in_walruses(found)
            for one in found:
                if id(one) in inside:
                    continue
                asked = _compared_by_in(one) if asks else []
                if asked and _would_be_folded(asked[-1]):
                    asked[-1] = _chosen(asked[-1])
                if isinstance(one, Comprehension):
                    _keep_in_comprehension(one)


# what may hold a display that would be folded, and what keeps it from that
_FOLDED_IN = frozenset((Compare, Comprehension, NamedExpr))


def _for_folds(statement: For, in_comprehension: bool) -> bool:
    """Whether what a `for` goes through is folded: that of an `async for` is not, unless it is a part of a comprehension."""
    return comprehensions_fold(False, statement.is_async) if in_comprehension else not statement.is_async


def _in_walruses(found: List[Expr]) -> Set[int]:
    walruses = (one for one in found if isinstance(one, NamedExpr))
    return {id(one) for walrus in walruses for one in expressions_in(ExprStmt(walrus.value))}


def _keep_in_comprehension(comprehension: Comprehension) -> None:
    for number, generator in enumerate(comprehension.generators):
        built = resolve(generator.iter).offset >= 0  # if not, it is how an assignment in a comprehension is written
        if built and comprehensions_fold(number == 0, generator.is_async) and _would_be_folded(generator.iter):
            generator.iter = _chosen(generator.iter)


def _chosen(value: Expr) -> Expr:
    return IfExp(Const(True), value, Tuple_([]), value.offset)


def keep_formatted(statements: List[Stmt]) -> None:
    """for a in {"b"} -> for a in {f"b"}"""
    for current in all_lists(statements):
        for statement in current:
            # what an `async for` goes through stays as it is, but for one in a comprehension
            containers = [statement.iter] if isinstance(statement, For) and not statement.is_async else []
            for one in expressions_in(statement):
                containers += _compared_by_in(one)[-1:]
                if isinstance(one, Comprehension):
                    containers += [generator.iter for generator in one.generators]
            for one in map(resolve, containers):
                if isinstance(one, Set_) and _would_be_folded(one):
                    _format_one(one)


def _format_one(container: Set_) -> None:
    for index, item in enumerate(container.items):
        if isinstance(item, Const) and isinstance(item.value, str):
            container.items[index] = JoinedStr([item.value], "f", item.offset)
            return


def _is_unfolded(value: Any) -> bool:
    return any(_stays_as_written(one) for one in expressions_in(ExprStmt(value)))


def _stays_as_written(value: Any) -> bool:
    if isinstance(value, Compare):
        return any(_would_be_folded(container) for container in _compared_by_in(value)[-1:])
    if isinstance(value, Comprehension):
        return any(_would_be_folded(generator.iter) for generator in value.generators)
    if isinstance(value, Binary):
        return _is_constant(value.left) and _is_constant(value.right)
    if isinstance(value, Unary):
        return _is_constant(value.operand)
    if isinstance(value, Set_):  # with an empty tuple that was built: elsewhere that is a constant, and so is the set
        return any(isinstance(resolve(item), Tuple_) for item in value.items) and all(map(_could_be_constant, value.items))
    return isinstance(value, Name) and value.id == "__debug__"


def _compared_by_in(value: Any) -> List[Expr]:
    """The operands of a comparison that ends in asking what is in a container, which is the last of them; none if it does not."""
    return value.comparators if isinstance(value, Compare) and value.ops[-1] in ("in", "not in") else []


def _is_constant(value: Any) -> bool:
    return isinstance(resolve(value), Const)


def _could_be_constant(value: Any) -> bool:
    value = resolve(value)
    return isinstance(value, Const) or isinstance(value, Tuple_) and all(map(_could_be_constant, value.items))


def _would_be_folded(container: Any) -> bool:
    container = resolve(container)
    if isinstance(container, List_):
        return not any(isinstance(item, Starred) for item in container.items)
    return isinstance(container, Set_) and not container.frozen and all(isinstance(item, Const) for item in container.items)
