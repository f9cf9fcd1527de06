"""Comprehensions: what a loop over nothing but conditions, loops and one addition stands for.

A list, set or dict comprehension adds to a fresh container, a generator expression yields from a function of its own.
"""

from __future__ import annotations

from typing import List, Optional, Tuple

from ..lifting.values import Iterator, NextItem, resolve
from ..tree import (
    Assign,
    BoolOp,
    Comprehension,
    Const,
    Dict_,
    Expr,
    ExprStmt,
    For,
    Generator,
    If,
    List_,
    Pass,
    Return,
    Set_,
    Starred,
    Stmt,
    Yield,
)
from .jumps import Accumulate, Branch
from .logic import always, negate


def comprehension(target: Expr, iterator: Iterator, body: List[Stmt], container: Optional[Expr]) -> Optional[Expr]:
    """The comprehension that a loop stands for; without a container, a generator expression."""
    return _comprehension(Generator(target, iterator.value, [], iterator.is_async), body, container)


def comprehension_of(statements: List[Stmt]) -> Optional[Comprehension]:
    """The comprehension that a comprehension's own function computes."""
    first = statements[0] if statements else None
    made: Optional[Expr] = None
    if isinstance(first, Return):
        made = resolve(first.value)
    elif isinstance(first, For):
        made = _comprehension(Generator(first.target, first.iter, [], first.is_async), first.body, None)
    return made if isinstance(made, Comprehension) else None


def _comprehension(outermost: Generator, body: List[Stmt], container: Optional[Expr]) -> Optional[Expr]:
    generators = [outermost]
    while body and not isinstance(body[0], Pass):
        statement = body[0]
        if len(body) > 1:
            if not _leads(statement, generators):
                return None
            body = body[1:]
            continue
        inner = _inside(statement, generators)
        if inner is None:
            return _element(statement, generators, container)
        body = inner
    return _never(container, generators)


def _leads(statement: Stmt, generators: List[Generator]) -> bool:
    """A clause that is no block around what follows it."""
    if tests_for_nothing(statement):
        generators[-1].ifs.append(always(statement.test))  # type: ignore[attr-defined]
        return True
    if isinstance(statement, Assign) and len(statement.targets) == 1:
        # `for y in [f(x)]` is compiled to an assignment
        generators.append(Generator(statement.targets[0], List_([statement.value]), [], False))
        return True
    return False


def _inside(statement: Stmt, generators: List[Generator]) -> Optional[List[Stmt]]:
    """What stands inside of a condition or a loop, which becomes a clause."""
    if isinstance(statement, For):
        generators.append(Generator(statement.target, statement.iter, [], statement.is_async))
        return None if statement.orelse else statement.body
    taken = _condition(statement)
    if taken is None:
        return None
    generators[-1].ifs.append(taken[0])
    return taken[1]


def _condition(statement: Stmt) -> Optional[Tuple[Expr, List[Stmt]]]:
    """A condition, and what it guards."""
    if not isinstance(statement, (If, Branch)) or isinstance(statement, Branch) and statement.held:
        return None
    test, body, orelse = statement.test, statement.body, statement.orelse
    if not orelse:
        return test, body
    if not body:
        return negate(test), orelse
    # `if a or (b and False)`: the compiler kept the test of `b`, which decides nothing
    if len(orelse) == 1 and tests_for_nothing(orelse[0]):
        return _or_in_vain(test, orelse[0]), body
    if len(body) == 1 and tests_for_nothing(body[0]):
        return _or_in_vain(negate(test), body[0]), orelse
    return None


def _or_in_vain(test: Expr, statement: Stmt) -> Expr:
    return BoolOp("or", [test, BoolOp("and", [statement.test, Const(False)])])  # type: ignore[attr-defined]


def _element(statement: Stmt, generators: List[Generator], container: Optional[Expr]) -> Optional[Expr]:
    if isinstance(statement, Accumulate) and container is not None and statement.container is container:
        return Comprehension(statement.kind, statement.element, statement.value, generators, statement.offset)
    if isinstance(statement, ExprStmt) and container is None:
        value = resolve(statement.value)
        if isinstance(value, Yield):
            element = value.value if value.value is not None else Const(None)
            if isinstance(element, NextItem) and len(generators) > 1 and not generators[-1].ifs:
                element = Starred(generators.pop().iter)  # (*value for ...)
            return Comprehension("generator", element, None, generators, statement.offset)
    return None


def tests_for_nothing(statement: Stmt) -> bool:
    """`if a or True`: the compiler kept the test of `a`, which decides nothing."""
    if isinstance(statement, Branch):
        return not statement.body and not statement.orelse and not statement.held
    if isinstance(statement, If):
        return not statement.orelse and all(isinstance(s, Pass) for s in statement.body)
    return False


def _never(container: Optional[Expr], generators: List[Generator]) -> Optional[Expr]:
    """A comprehension whose condition is a false constant: the compiler dropped its element."""
    kinds = {List_: "list", Set_: "set", Dict_: "dict"}
    kind = "generator" if container is None else kinds.get(resolve(container).__class__)
    if kind is None:
        return None
    generators[-1].ifs.append(Const(False))
    value: Optional[Expr] = Const(None) if kind == "dict" else None
    offset = generators[0].target.offset if container is None else resolve(container).offset
    return Comprehension(kind, Const(None), value, generators, offset)
