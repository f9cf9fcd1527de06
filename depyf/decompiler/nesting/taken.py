"""Globals that 3.12 takes for variables: one inlined comprehension reads what another one, further up, has for its own.

In the code that was compiled the reader came first, or the function itself uses the global, wherever that is. Where the text has the
two the other way round (the branches of an `if` may have changed places), only a declaration keeps the name global.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterator, List, Set, Tuple

from depyf.bytecode.codes import parameter_count, takes_globals_for_variables

from ..structuring.expressions import expressions_in
from ..structuring.walk import child_lists
from ..tree import Comprehension, Name, Stmt
from .inlined import evaluated_inside

if TYPE_CHECKING:
    from .functions import Unit


def taken_globals(unit: Unit) -> List[str]:
    """The globals of a function that need a declaration for this."""
    if unit.kind != "function" or not unit.body.inlined or not takes_globals_for_variables():
        return []
    inlined = unit.body.inlined
    loads = unit.instructions.get("LOAD_GLOBAL", ())
    waiting = {i.arg for i in loads if inlined.shares(i)} - {i.arg for i in loads if not inlined.holds(i)}
    found: Set[str] = set()
    for statement in _in_order(unit.body.statements) if waiting else ():
        read, bound = _names_in(statement)
        found |= waiting & bound - read
        waiting -= read | bound
    return sorted(found)


def names_taken(unit: Unit) -> Set[str]:
    """The globals of a function that are taken for the variable of a comprehension of which nothing is left: only inlined ones
    read them, as locals, and nothing stores them. To what is nested in the function they are globals."""
    if not unit.body.inlined or not takes_globals_for_variables():
        return set()
    inlined = unit.body.inlined
    stores = (i.arg for op in ("STORE_LOCAL", "DELETE_LOCAL") for i in unit.instructions.get(op, ()) if not inlined.owns(i))
    loads = unit.instructions.get("LOAD_LOCAL", ())
    around = {*unit.code.co_varnames[: parameter_count(unit.code)], *unit.code.co_cellvars, *stores}
    around.update(i.arg for i in loads if not inlined.holds(i))
    return {i.arg for i in loads if not inlined.takes(i)} - around


def _in_order(statements: List[Stmt]) -> Iterator[Stmt]:
    """All statements as the text has them."""
    work = statements[::-1]
    while work:
        statement = work.pop()
        yield statement
        for inside in reversed(child_lists(statement)):
            work.extend(inside[::-1])


def _names_in(statement: Stmt) -> Tuple[Set[str], Set[str]]:
    """The names that a statement reads, and those that its comprehensions have for their own and nothing else in it reads."""
    expressions = expressions_in(statement)
    made = [e for e in expressions if isinstance(e, Comprehension)]
    own: Set[int] = set()
    bound: Set[str] = set()
    for one in made:
        targets = [e for generator in one.generators for e in (generator.target, *expressions_in(generator.target))]
        names = {e.id for e in targets if isinstance(e, Name)}
        own.update(id(e) for e in (*targets, *evaluated_inside(one)) if isinstance(e, Name) and e.id in names)
        bound |= names
    return {e.id for e in expressions if isinstance(e, Name) and id(e) not in own}, bound
