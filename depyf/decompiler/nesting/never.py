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
from .inlined import Variable, evaluated_inside
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
    made = _comprehensions(unit)
    never = {offset: one for offset, one in made.items() if _ends_in_never(one)}
    if not never:
        return
    hidden = _by_comprehension(unit.body.inlined.variables, made)
    for offset, own in hidden.items():
        if offset in never:
            _declare_hidden(unit, never[offset], own)
        else:
            _capture(never, hidden, _lost(unit, own, _inside(unit, own)))
    for offset in never.keys() - hidden.keys():
        _mention_inner(never[offset], hidden)


def _declare_hidden(unit: Unit, made: Comprehension, hidden: List[Variable]) -> None:
    """For one of them, given what it hides."""
    inside = _inside(unit, hidden)
    own = [one for one in hidden if not _is_passed_on(unit, one, inside)]
    lost = _lost(unit, hidden, inside)
    mentioned = _mentioned(unit, hidden, inside)
    unbound = _with(unit, _without(unit, own, ("STORE_LOCAL", "STORE_CELL")), _USES)
    if unbound:
        _declare(made, [one.name for one in unbound], False)
    last = made.generators[-1].ifs
    last.extend(NamedExpr(Name(one.name), Const(None)) for one in _stored_past(unit, own))
    last.extend(Name(name) for name in mentioned)
    if lost:
        last.append(_captures([one.name for one in lost]))


def _capture(never: Dict[int, Comprehension], hidden: Dict[int, List[Variable]], lost: List[Variable]) -> None:
    """The same for one whose end is reached: what is captured nowhere is captured in a comprehension inside that is never ended."""
    for variable in lost:
        for offset in sorted(never.keys() & variable.offsets):
            if all(one.name != variable.name for one in hidden.get(offset, ())):
                never[offset].generators[-1].ifs.append(_captures([variable.name]))
                break


def _captures(names: List[str]) -> Expr:
    return BoolOp("or", [Const(True), Lambda([], Tuple_([Name(name) for name in names]))])


def _lost(unit: Unit, hidden: List[Variable], inside: List[Variable]) -> List[Variable]:
    """The variables that have cells although nothing captures them."""
    own = [one for one in hidden if not _is_passed_on(unit, one, inside)]
    return _without(unit, _with(unit, own, ("MAKE_CELL",)), ("LOAD_CLOSURE",))


def _inside(unit: Unit, hidden: List[Variable]) -> List[Variable]:
    """What the comprehensions inside of one hide, given what it hides itself."""
    own = {id(one) for one in hidden}
    everywhere = frozenset().union(*[one.offsets for one in hidden])
    return [one for one in unit.body.inlined.variables if id(one) not in own and one.offsets < everywhere]


def _is_passed_on(unit: Unit, variable: Variable, inside: List[Variable]) -> bool:
    """Whether a comprehension hides a name only since one inside of it does: the compiler gives it the cells of that one."""
    cells = _with(unit, [one for one in inside if one.name == variable.name], ("MAKE_CELL",))
    return bool(cells) and not _with(unit, [variable], _MENTIONS)


def _mentioned(unit: Unit, hidden: List[Variable], inside: List[Variable]) -> List[str]:
    """The names that a comprehension does not get from those inside of it: what is never reached mentions them itself."""
    if not inside:
        return []
    names = {one.name for one in hidden}
    cells = {one.name for one in _with(unit, hidden, ("MAKE_CELL",))}
    kept = [one for one in inside if one.name not in names]
    kept += _with(unit, [one for one in inside if one.name in names - cells], ("MAKE_CELL",))
    passed = [*[one.offsets for one in inside], *[one.ends for one in hidden]]
    everywhere = frozenset().union(*[one.offsets for one in hidden]).difference(*passed)
    known = {i.arg for op in _MENTIONS for i in unit.instructions.get(op, ()) if i.offset in everywhere}
    return [name for name in dict.fromkeys(one.name for one in kept) if name not in known]


def _mention_inner(made: Comprehension, hidden: Dict[int, List[Variable]]) -> None:
    """The same for one that hides nothing, not even the variables of those inside of it: it mentions all of them."""
    inside = [one for one in reversed(evaluated_inside(made)) if isinstance(one, Comprehension)]
    variables = [variable.name for one in inside for variable in hidden.get(one.generators[0].target.offset, ())]
    made.generators[-1].ifs.extend(Name(name) for name in dict.fromkeys(variables))


_NAMES = ("LOAD_NAME", "LOAD_GLOBAL", "STORE_GLOBAL", "LOAD_DICT_OR_GLOBAL", "LOAD_DICT_OR_CELL")
_MENTIONS = ("LOAD_LOCAL", "STORE_LOCAL", "DELETE_LOCAL", "LOAD_CELL", "STORE_CELL", "DELETE_CELL", "LOAD_CLOSURE", *_NAMES)


def _stored_past(unit: Unit, variables: List[Variable]) -> List[Variable]:
    """The variables that are hidden for nothing: a `:=` that is never reached stores a global of that name.

    In the comprehension of a module nothing else makes a name global (3.13: not even a declaration)."""
    if unit.kind != "module" or "LOAD_GLOBAL" not in unit.instructions:
        return []
    return _without(unit, _with(unit, variables, ("LOAD_GLOBAL",)), ("STORE_GLOBAL",))


def _comprehensions(unit: Unit) -> Dict[int, Comprehension]:
    """The comprehensions that are part of a code object, by the offsets of their first targets: nothing in them comes earlier."""
    expressions = (e for current in all_lists(unit.body.statements) for statement in current for e in expressions_in(statement))
    return {e.generators[0].target.offset: e for e in expressions if isinstance(e, Comprehension)}


def _by_comprehension(variables: List[Variable], made: Dict[int, Comprehension]) -> Dict[int, List[Variable]]:
    """What each comprehension hides, in that order: of those that run meanwhile it is the one that begins first."""
    found: Dict[int, List[Variable]] = {}
    for variable in sorted(variables, key=lambda one: min(one.offsets)):
        during = made.keys() & variable.offsets
        if during:
            found.setdefault(min(during), []).append(variable)
    return found


_USES = ("LOAD_LOCAL", "DELETE_LOCAL", "MAKE_CELL")  # a class hides more than the variables


def _with(unit: Unit, variables: List[Variable], ops: Tuple[str, ...]) -> List[Variable]:
    """The variables that one of these operations is about while they are hidden."""
    others = {id(one) for one in _without(unit, variables, ops)}
    return [one for one in variables if id(one) not in others]


def _without(unit: Unit, variables: List[Variable], ops: Tuple[str, ...]) -> List[Variable]:
    """The variables that none of these operations is about while they are hidden; giving back what they hid is not meant."""
    about = {(i.arg, i.offset) for op in ops for i in unit.instructions.get(op, ())}
    return [v for v in variables if not any((v.name, offset) in about for offset in _own_offsets(v, unit.body.inlined.variables))]


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
