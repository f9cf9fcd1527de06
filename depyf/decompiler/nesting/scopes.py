"""The names of a code object: which of them only a declaration explains."""

from __future__ import annotations

from types import CodeType
from typing import TYPE_CHECKING, Dict, List, Set, Tuple

from depyf.bytecode.canonical import FreeName, Instruction
from depyf.bytecode.codes import assertion_error_by_name, is_function, parameter_count

from ..pipeline import Body
from ..structuring.expressions import expressions_in
from ..structuring.walk import all_lists
from ..tree import AnnAssign, Comprehension, Const, ExprStmt, Generator, Global, If, Name, Nonlocal, Stmt, Tuple_
from .dead import USES_OF_CELLS, USES_OF_NAMES, arguments_of, globals_used
from .inlined import NOTHING_INLINED, Inlined, evaluated_inside
from .taken import names_taken, taken_globals

if TYPE_CHECKING:
    from .functions import Unit


def unbound_locals(unit: Unit) -> List[Stmt]:
    """A bare annotation says that a name is local although nothing stores it any more, and does nothing. Of a name that only
    comprehensions read it says too much: that of another one, never reached, is taken for it (see `taken`)."""
    names = unbound_names(unit)
    taken = names_taken(unit) if names else set()
    made: List[Stmt] = [AnnAssign(Name(name), Name("object"), None, True) for name in names if name not in taken]
    hidden = [Generator(Name(name), Tuple_([]), [], False) for name in names if name in taken]
    if hidden:
        made.append(If(Const(False), [ExprStmt(Comprehension("list", Const(None), None, hidden))], []))
    return made


def unbound_names(unit: Unit) -> List[str]:
    """Names that are local although nothing stores them any more."""
    code = unit.code
    if len(code.co_varnames) == parameter_count(code) and not code.co_cellvars:
        return []
    inlined = unit.body.inlined
    stores = [i for op in ("STORE_LOCAL", "STORE_CELL") for i in unit.instructions.get(op, ()) if not inlined.owns(i)]
    known = {*_parameters(code), *code.co_freevars, *[i.arg for i in stores]}
    known |= globals_used(unit.instructions)  # the cell of such a name is that of a comprehension which is gone
    if known.issuperset(code.co_varnames) and known.issuperset(code.co_cellvars):
        return []
    uses = [i for op in _USES_OF_LOCALS for i in unit.instructions.get(op, ()) if not inlined.takes(i)]
    hidden = inlined.hidden_names()
    cells = [name for name in code.co_cellvars if name not in hidden]
    used = [*cells, *[i.arg for i in sorted(uses, key=lambda one: one.offset)]]
    return [name for name in dict.fromkeys(used) if name not in known]


_USES_OF_LOCALS = ("LOAD_LOCAL", "DELETE_LOCAL", "LOAD_CELL", "LOAD_CLOSURE", "DELETE_CELL")
_OPERATIONS_ON_LOCALS = (*_USES_OF_LOCALS, "STORE_LOCAL", "STORE_CELL")


def _parameters(code: CodeType) -> Tuple[str, ...]:
    return code.co_varnames[: parameter_count(code)]


def declarations(unit: Unit) -> List[Stmt]:
    """`global` and `nonlocal`: what this code stores outside of its own names."""
    stored = globals_stored(unit)
    if not stored and not unit.code.co_freevars:
        return []
    outside: Dict[str, str] = {}
    # an inlined comprehension may have a variable of its own with the name of a free one
    free = set(unit.code.co_freevars) - set(unit.code.co_cellvars)
    for name in stored:
        if name not in unit.declared_inside:
            outside[name] = "global"
    inlined = unit.body.inlined
    for instruction in [*unit.instructions.get("STORE_CELL", ()), *unit.instructions.get("DELETE_CELL", ())]:
        shared = type(instruction.arg) is FreeName and not inlined.holds(instruction)
        if shared or instruction.arg in free:
            outside.setdefault(instruction.arg, "nonlocal")
    if free:
        for name in _stored_in_comprehensions(unit, "STORE_CELL"):
            if name in free:
                outside.setdefault(name, "nonlocal")
        own = arguments_of(unit.instructions, USES_OF_NAMES)
        for name in sorted(free - _cells_used(unit) - unit.type_parameters - own):
            if name != "__class__":
                outside.setdefault(name, "nonlocal")  # what else would make it a free variable
        shared_names = free & inlined.hidden_names() - unit.type_parameters if is_function(unit.code) else set()
        for name in sorted(shared_names - _used_plainly(unit, inlined) - {"__class__"}):
            outside.setdefault(name, "nonlocal")  # else a function in it would capture the variable of the comprehension
    made: List[Stmt] = []
    names = [n for n, kind in outside.items() if kind == "global"]
    if names:
        made.append(Global(names))
    names = [n for n, kind in outside.items() if kind == "nonlocal"]
    if names:
        made.append(Nonlocal(names))
    return made


def _used_plainly(unit: Unit, inlined: Inlined) -> Set[str]:
    """The free variables that a function uses itself: not in its comprehensions, and not only in functions inside."""
    uses = [i for op in USES_OF_CELLS if op != "LOAD_CLOSURE" for i in unit.instructions.get(op, ())]
    return {i.arg for i in uses if not inlined.holds(i)}


def own_names(unit: Unit) -> Set[str]:
    """A function's variables, without those of its inlined comprehensions, of which nothing may be left but the name."""
    code = unit.code
    inlined = unit.body.inlined
    used = {i.arg for op in _OPERATIONS_ON_LOCALS for i in unit.instructions.get(op, ()) if not inlined.takes(i)}
    cells = {*code.co_cellvars} - {name for name in inlined.hidden_names() if name not in used}
    return {*_parameters(code), *used, *code.co_freevars, *cells} - globals_used(unit.instructions) - names_taken(unit)


def globals_loaded(unit: Unit) -> Set[str]:
    return arguments_of(unit.instructions, ("LOAD_GLOBAL",))


def globals_stored(unit: Unit) -> List[str]:
    """The names that this code uses as globals although they could be its own: only a declaration makes them so."""
    uses = [*unit.instructions.get("STORE_GLOBAL", ()), *unit.instructions.get("DELETE_GLOBAL", ())]
    if is_function(unit.code):
        if not (uses or unit.comprehensions or unit.past or unit.body.inlined):
            return []  # as of most functions
    else:
        # in a class they look names up as functions do
        inlined = unit.body.inlined if unit.kind == "class" else NOTHING_INLINED
        loads = [i for i in unit.instructions.get("LOAD_GLOBAL", ()) if not inlined.holds(i)]
        inside = _inside_comprehensions(unit.body.statements) if loads and unit.kind == "class" else set()
        uses += [i for i in loads if i.offset not in inside]
    found = dict.fromkeys([i.arg for i in uses])
    if unit.kind == "function":
        found.update(dict.fromkeys(_stored_in_comprehensions(unit, "STORE_GLOBAL")))
    if "AssertionError" in found and assertion_error_by_name() and not _is_declared(unit, "AssertionError"):
        del found["AssertionError"]  # every assert looks it up so
    return [*found, *sorted(unit.past.union(taken_globals(unit)).difference(found))]


def _is_declared(unit: Unit, name: str) -> bool:
    """Whether a name is mentioned, and looked up nowhere as it is without a declaration."""
    return name not in arguments_of(unit.instructions, ("LOAD_NAME",)) and _mentions(unit.body.statements, name)


def _inside_comprehensions(statements: List[Stmt]) -> Set[int]:
    """The offsets of what inlined comprehensions evaluate themselves; one without variables leaves no other trace."""
    everything = (e for current in all_lists(statements) for statement in current for e in expressions_in(statement))
    return {e.offset for one in everything if isinstance(one, Comprehension) for e in evaluated_inside(one)}


def _stored_in_comprehensions(unit: Unit, op: str) -> List[str]:
    """What `:=` in comprehensions stores: as if it stood in the function around them, which declares it."""
    found: List[str] = []
    work = list(unit.comprehensions)
    while work:
        inner = work.pop()
        work.extend(inner.comprehensions)
        found.extend(i.arg for i in inner.instructions.get(op, ()) if i.arg not in inner.code.co_cellvars)  # its own variables
    return found


def _mentions(statements: List[Stmt], name: str) -> bool:
    inside = (e for current in all_lists(statements) for statement in current for e in expressions_in(statement))
    return any(isinstance(expression, Name) and expression.id == name for expression in inside)


def _cells_used(unit: Unit) -> Set[str]:
    # a cell that is put into a container which is dropped leaves no trace in the text
    ops = [op for op in USES_OF_CELLS if not (unit.body.generated and op == "LOAD_CLOSURE")]
    return unit.cells | arguments_of(unit.instructions, ops)


# frequent, and nobody asks for them
_NAMELESS = frozenset(("CONST", "NULL", "SWAP", "POP", "LOAD_ATTR", "CALL", "CALL_KW", "TRUTH", "BRANCH", "JUMP", "FALL", "RETURN"))


def instructions_by_op(body: Body) -> Dict[str, List[Instruction]]:
    """The instructions of the prepared graph that are about names, with those that a case of a match stands for."""
    found: Dict[str, List[Instruction]] = {}
    for block in body.regions.graph.blocks:
        for instruction in [i for i in block.instructions if i.op not in _NAMELESS]:
            if instruction.op in found:
                found[instruction.op].append(instruction)
            else:
                found[instruction.op] = [instruction]
    for case in found.get("CASE", ()):
        for instruction in case.arg.taken:
            found.setdefault(instruction.op, []).append(instruction)
    return found
