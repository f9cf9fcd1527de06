"""What `__static_attributes__` of a class says beside what its code does (3.13+): attributes of `self` that only dead code sets.

The compiler collects them from what it drops, too. A method under `if False:` sets them again, and is dropped as well.
"""

from __future__ import annotations

from typing import Any, List, Sequence, Set

from ..tree import Assign, Attr, Const, Expr, FunctionDef, If, Name, Parameter, Stmt

_STORED = "__static_attributes__"


def dead_attributes(unit: Any) -> List[Stmt]:
    """`if False: def __init__(self): self.a = ...` for the attributes of a class that nothing sets any more; empty as a rule."""
    if _STORED not in unit.code.co_names:
        return []
    missing = [name for name in _static_attributes(unit) if not _is_set(name, _attributes_set(unit))]
    if not missing:
        return []
    targets: List[Expr] = [Attr(Name("self"), name) for name in missing]
    method = FunctionDef("__init__", [Parameter("self", "normal")], [Assign(targets, Const(None))])
    return [If(Const(False), [method], [])]


def _static_attributes(unit: Any) -> Sequence[str]:
    for block in reversed(unit.body.regions.graph.blocks):  # it is stored at the end
        value: Any = None
        for instruction in block.instructions:
            if instruction.op == "STORE_NAME" and instruction.arg == _STORED:
                return value if isinstance(value, tuple) else ()
            value = instruction.arg if instruction.op == "CONST" else None
    return ()


def _attributes_set(unit: Any) -> Set[str]:
    """Of whatever object, by the class's functions and those in them; a class in it has its own."""
    found: Set[str] = set()
    work = [unit]
    while work:
        one = work.pop()
        found.update(instruction.arg for instruction in one.instructions.get("STORE_ATTR", ()))
        work.extend(inner for inner in one.inner if inner.kind != "class")
    return found


def _is_set(name: str, attributes: Set[str]) -> bool:
    private = name.startswith("__") and not name.endswith("__")  # methods have the mangled name
    return name in attributes or private and any(attribute.endswith(name) for attribute in attributes)
