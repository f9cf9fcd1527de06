"""Clauses of a comprehension that are never reached, `for b in c if False for d in e`: the compiler drops them.

What they declared stays: variables that are read where nothing has stored them, cells, an asynchronous generator that waits for
nothing. A clause over nothing, where it is never reached either, declares that again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, FrozenSet, List, Tuple

from depyf.bytecode.codes import is_async

from ..structuring.expressions import expressions_in
from ..structuring.walk import all_lists
from ..tree import BoolOp, Comprehension, Const, Expr, Generator, Lambda, Name, NamedExpr, Tuple_
from .inlined import Variable
from .scopes import unbound_names

if TYPE_CHECKING:
    from .functions import Unit


def declare_in_function(made: Comprehension, unit: Unit) -> None:
    """For a comprehension that is a function of its own."""
    if not _ends_in_never(made):
        return
    names = [name for name in unbound_names(unit) if not name.startswith(".")]
    waits = waits_for_nothing(made, unit)
    if names or waits:
        _declare(made, names, waits)


def waits_for_nothing(made: Comprehension, unit: Unit) -> bool:
    """Whether a comprehension is asynchronous by what is never reached alone."""
    return is_async(unit.code) and "AWAITABLE" not in unit.instructions and not any(one.is_async for one in made.generators)


def declare_in_inlined(unit: Unit) -> None:
    """For comprehensions that are part of a code object, which hides their variables while they run."""
    variables = unit.body.inlined
    unbound = _with(unit, _without(unit, variables, ("STORE_LOCAL", "STORE_CELL")), _USES)
    lost = _without(unit, _with(unit, variables, ("MAKE_CELL",)), ("LOAD_CLOSURE",))
    walruses = _stored_past(unit, variables)
    if not unbound and not lost and not walruses:
        return
    never = _never_reached(unit)
    for offset, own in _by_comprehension(unbound, never).items():
        _declare(never[offset], own, False)
    for offset, own in _by_comprehension(walruses, never).items():
        never[offset].generators[-1].ifs.extend(NamedExpr(Name(name), Const(None)) for name in own)
    for offset, own in _by_comprehension(lost, never).items():
        captured: List[Expr] = [Name(name) for name in own]
        never[offset].generators[-1].ifs.append(BoolOp("or", [Const(True), Lambda([], Tuple_(captured))]))


def _stored_past(unit: Unit, variables: List[Variable]) -> List[Variable]:
    """The variables that are hidden for nothing: a `:=` that is never reached stores a global of that name.

    In the comprehension of a module nothing else makes a name global (3.13: not even a declaration)."""
    if unit.kind != "module" or "LOAD_GLOBAL" not in unit.instructions:
        return []
    return _without(unit, _with(unit, variables, ("LOAD_GLOBAL",)), ("STORE_GLOBAL",))


def _never_reached(unit: Unit) -> Dict[int, Comprehension]:
    """The comprehensions whose last clause is never passed, by their offsets."""
    expressions = (e for current in all_lists(unit.body.statements) for statement in current for e in expressions_in(statement))
    return {e.offset: e for e in expressions if isinstance(e, Comprehension) and _ends_in_never(e)}


def _by_comprehension(variables: List[Variable], never: Dict[int, Comprehension]) -> Dict[int, List[str]]:
    """The names of variables by the comprehension that begins first where they are hidden."""
    found: Dict[int, List[str]] = {}
    for variable in variables:
        inside = [offset for offset in never if offset in variable.offsets]
        if inside:
            found.setdefault(min(inside), []).append(variable.name)
    return found


_USES = ("LOAD_LOCAL", "DELETE_LOCAL", "MAKE_CELL")  # a class hides more than the variables


def _with(unit: Unit, variables: List[Variable], ops: Tuple[str, ...]) -> List[Variable]:
    """The variables that one of these operations is about while they are hidden."""
    others = {id(one) for one in _without(unit, variables, ops)}
    return [one for one in variables if id(one) not in others]


def _without(unit: Unit, variables: List[Variable], ops: Tuple[str, ...]) -> List[Variable]:
    """The variables that none of these operations is about while they are hidden; giving back what they hid is not meant."""
    about = {(i.arg, i.offset) for op in ops for i in unit.instructions.get(op, ())}
    return [v for v in variables if not any((v.name, offset) in about for offset in _own_offsets(v, unit.body.inlined))]


def _own_offsets(variable: Variable, everything: List[Variable]) -> FrozenSet[int]:
    """Where a name means this variable: not where it is given back, nor in a comprehension inside that hides it again."""
    again = [one.offsets for one in everything if one.name == variable.name and one.offsets < variable.offsets]
    return variable.offsets.difference(variable.ends, *again)


def _ends_in_never(made: Comprehension) -> bool:
    last = made.generators[-1].ifs[-1:]
    return bool(last) and isinstance(last[0], Const) and last[0].value is False


def _declare(made: Comprehension, names: List[str], waits: bool) -> None:
    targets: List[Expr] = [Name(name) for name in names]
    target = targets[0] if len(targets) == 1 else Tuple_(targets)
    made.generators.append(Generator(target, Tuple_([]), [], waits))
