"""What only dead code makes so: a generator that never yields, a cell that nobody captures.

The compiler drops code that cannot run, but what it declared stays. `if False:` declares it again, and vanishes too.
"""

from __future__ import annotations

from types import CodeType
from typing import Dict, Iterable, List, Optional, Set

from depyf.bytecode.canonical import FreeName, Instruction
from depyf.bytecode.codes import is_async, is_function, is_generator

from ..lifting.values import ClosureCell
from ..structuring.expressions import expressions_in
from ..structuring.walk import all_lists
from ..tree import Assign, Const, Expr, ExprStmt, If, Lambda, Name, Stmt, Tuple_, Yield

Instructions = Dict[str, List[Instruction]]  # by their operation

USES_OF_CELLS = ("LOAD_CELL", "STORE_CELL", "DELETE_CELL", "LOAD_CLOSURE", "LOAD_DICT_OR_CELL")
USES_OF_NAMES = ("LOAD_NAME", "STORE_NAME", "DELETE_NAME")  # of a class: names of its own, whatever free variables are called


def arguments_of(instructions: Instructions, ops: Iterable[str]) -> Set[str]:
    """The names that these operations are about."""
    return {instruction.arg for op in ops if op in instructions for instruction in instructions[op]}


def globals_used(instructions: Instructions) -> Set[str]:
    """The names that a function itself uses as globals. They may be variables of its inlined comprehensions as well."""
    return arguments_of(instructions, ("LOAD_GLOBAL", "STORE_GLOBAL", "DELETE_GLOBAL"))


def dead_declarations(
    code: CodeType, instructions: Instructions, type_parameters: Set[str], captured: Optional[Set[str]] = None
) -> List[Stmt]:
    """`if False: ...` with whatever the reachable code of a function cannot explain; empty as a rule.

    `type_parameters` are those around it, which no `nonlocal` may name; `captured` the cells that its text uses, where the
    instructions do not tell: what generated code does with cells may be gone."""
    body: List[Stmt] = []
    if is_generator(code) and not ("YIELD" in instructions or "YIELD_FROM" in instructions and not is_async(code)):
        body.append(ExprStmt(Yield(None)))
    if code.co_cellvars:
        captured = arguments_of(instructions, ("LOAD_CLOSURE",)) if captured is None else captured
        captured = captured | globals_used(instructions)
        cells: List[Expr] = [Name(n) for n in code.co_cellvars if n not in captured]
        if cells:
            body.append(ExprStmt(Lambda([], Tuple_(cells))))
    made: List[Stmt] = [If(Const(False), body, [])] if body else []
    if not code.co_freevars:
        return made
    explained = "super" in arguments_of(instructions, _LOADS)
    return made + dead_names(code, instructions, type_parameters if explained else type_parameters | {"__class__"})


def dead_names(code: CodeType, instructions: Instructions, among: Set[str]) -> List[Stmt]:
    """The same for free variables `among` these that nothing uses."""
    if not code.co_freevars:
        return []
    used = arguments_of(instructions, USES_OF_CELLS)
    body: List[Stmt] = [ExprStmt(Name(name)) for name in code.co_freevars if name in among and name not in used]
    names = arguments_of(instructions, USES_OF_NAMES)
    own: List[Expr] = [Name(n) for n in code.co_freevars if n in names and n not in used]
    if not is_function(code) and code.co_cellvars:  # the cells are those of comprehensions that have variables of the same name
        free = {i.arg for op in USES_OF_CELLS for i in instructions.get(op, ()) if type(i.arg) is FreeName}
        own += [Name(n) for n in code.co_freevars if n in code.co_cellvars and n not in free]
    if own:  # the class has its own: what was captured is used by a function in it
        body.append(ExprStmt(Lambda([], Tuple_(own))))
    return [If(Const(False), body, [])] if body else []


def dead_stores(instructions: Instructions, around: Set[str]) -> List[Stmt]:
    """The same for names that a class looks up among its own, although a function `around` it has one and nothing stores them."""
    used = arguments_of(instructions, ("LOAD_NAME", "DELETE_NAME")) & around
    own = sorted(used - arguments_of(instructions, ("STORE_NAME",)))
    return [If(Const(False), [Assign([Name(name) for name in own], Const(None))], [])] if own else []


def cells_in(statements: List[Stmt]) -> Set[str]:
    """The variables whose cells are handed on, to functions and as values."""
    nodes = (node for current in all_lists(statements) for s in current for node in expressions_in(s))
    return {node.name for node in nodes if isinstance(node, ClosureCell)}


_OF_CLASSES = ("__class__", "__classdict__")  # what the compiler captures by itself


def dead_values(code: CodeType, instructions: Instructions) -> List[Expr]:
    """The same for a lambda or a comprehension: expressions that stand where they are never evaluated."""
    seen = arguments_of(instructions, USES_OF_CELLS)
    found: List[Expr] = [Name(n) for n in code.co_freevars if n not in seen and n not in _OF_CLASSES]
    for statement in dead_declarations(code, instructions, set()):
        assert isinstance(statement, If)
        values = [s.value for s in statement.body if isinstance(s, ExprStmt)]
        found.extend(v for v in values if code.co_name == "<lambda>" or not isinstance(v, Yield))
    return found


# the compiler takes the name `super` in a function for a use of `__class__`; before 3.12 no instruction shows it
_LOADS = ("LOAD_GLOBAL", "LOAD_LOCAL", "LOAD_CELL", "LOAD_DICT_OR_GLOBAL")
