"""What only dead code makes so: a generator that never yields, a cell that nobody captures.

The compiler drops code that cannot run, but what it declared stays. `if False:` declares it again, and vanishes too.
"""

from __future__ import annotations

from types import CodeType
from typing import Any, Iterable, List, Set

from depyf.bytecode.codes import is_async, is_generator

from .tree import Const, Expr, ExprStmt, If, Lambda, Name, Stmt, Tuple_, Yield


def dead_declarations(
    code: CodeType, blocks: List[Any], type_parameters: Set[str], generated: bool = False
) -> List[Stmt]:
    """`if False: ...` with whatever the reachable code of a function cannot explain; empty as a rule.

    `type_parameters` are those around it, which no `nonlocal` may name. What `generated` code does with cells may be gone."""
    used = _used(blocks)
    body: List[Stmt] = []
    if is_generator(code) and not ("YIELD" in used or "YIELD_FROM" in used and not is_async(code)):
        body.append(ExprStmt(Yield(None)))
    captured = set() if generated else _names(blocks, ("LOAD_CLOSURE",))
    cells: List[Expr] = [Name(n) for n in code.co_cellvars if n not in captured]
    if cells:
        body.append(ExprStmt(Lambda([], Tuple_(cells))))
    made: List[Stmt] = [If(Const(False), body, [])] if body else []
    among = type_parameters if "super" in _names(blocks, _LOADS) else type_parameters | {"__class__"}
    return made + dead_names(code, blocks, among)


def dead_names(code: CodeType, blocks: List[Any], among: Set[str]) -> List[Stmt]:
    """The same for free variables `among` these that nothing uses."""
    used = _names(blocks, _CELLS)
    body: List[Stmt] = [ExprStmt(Name(name)) for name in code.co_freevars if name in among and name not in used]
    stored = names_stored([i for b in blocks for i in b.instructions])
    own: List[Expr] = [Name(n) for n in code.co_freevars if n in stored and n not in used]
    if own:  # the class has its own: what was captured is used by a function in it
        body.append(ExprStmt(Lambda([], Tuple_(own))))
    return [If(Const(False), body, [])] if body else []


def names_stored(instructions: Iterable[Any]) -> Set[str]:
    """The names that a class body stores as its own."""
    return {i.arg for i in instructions if i.op == "STORE_NAME"}


def dead_values(code: CodeType, blocks: List[Any]) -> List[Expr]:
    """The same for a lambda or a comprehension: expressions that stand where they are never evaluated."""
    seen = _names(blocks, _CELLS)
    found: List[Expr] = [Name(n) for n in code.co_freevars if n not in seen and n != "__class__"]
    for statement in dead_declarations(code, blocks, set()):
        assert isinstance(statement, If)
        values = [s.value for s in statement.body if isinstance(s, ExprStmt)]
        found.extend(v for v in values if code.co_name == "<lambda>" or not isinstance(v, Yield))
    return found


# the compiler takes the name `super` in a function for a use of `__class__`; before 3.12 no instruction shows it
_LOADS = ("LOAD_GLOBAL", "LOAD_LOCAL", "LOAD_CELL", "LOAD_DICT_OR_GLOBAL")
_CELLS = ("LOAD_CELL", "STORE_CELL", "DELETE_CELL", "LOAD_CLOSURE", "LOAD_DICT_OR_CELL")


def _used(blocks: List[Any]) -> Set[str]:
    return {i.op for b in blocks for i in b.instructions}


def _names(blocks: List[Any], ops: Any) -> Set[str]:
    return {i.arg for b in blocks for i in b.instructions if i.op in ops}
