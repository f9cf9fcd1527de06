"""Private names behind a class with type parameters, as they were written: CPython 3.12 goes on as if inside of that class.

`a.__x` behind `class C[T]` is compiled to `a._C__x`, and so it is when the text is compiled again. Before the graph is prepared,
since copies of one piece of code may stand before and behind the class.
"""

from __future__ import annotations

from types import CodeType
from typing import Any, Optional

from depyf.bytecode.canonical import Graph
from depyf.bytecode.codes import GENERIC, defined_name, forgets_to_leave_generic_classes


def mangles_on(code: CodeType) -> bool:
    """Whether private names in a part of `code` belong to a class that is not around it."""
    return forgets_to_leave_generic_classes() and any(_class_of(constant) is not None for constant in code.co_consts)


def may_be_mangled_on(code: CodeType) -> bool:
    """Whether names in a method may be mangled for a class with type parameters inside of another method, which stands before it.

    What defines such a class cannot be told from the method itself. There, CPython's two opinions about a private name differ."""
    inside = getattr(code, "co_qualname", "").split(".<locals>.")
    return forgets_to_leave_generic_classes() and any("." in part for part in inside)


def _class_of(constant: Any) -> Optional[str]:
    """The name of the class whose type parameters a code object makes."""
    if isinstance(constant, CodeType) and constant.co_name.startswith(GENERIC) and ".generic_base" in constant.co_varnames:
        return defined_name(constant)
    return None


def undo_stale_mangling(graph: Graph) -> None:
    """Gives private names back their short form, from the first class with type parameters on."""
    prefix: Optional[str] = None
    instructions = sorted((i for block in graph.blocks for i in block.instructions), key=lambda i: i.offset)
    for instruction in instructions:
        if instruction.op == "CONST":
            made = _class_of(instruction.arg)
            prefix = f"_{made.lstrip('_')}__" if made is not None else prefix
        elif prefix is not None and isinstance(instruction.arg, str):
            instruction.arg = _short(instruction.arg, prefix)
        elif prefix is not None and instruction.op == "IMPORT":
            instruction.arg = (_short(instruction.arg[0], prefix), *instruction.arg[1:])


def _short(name: str, prefix: str) -> str:
    return name[len(prefix) - 2 :] if name.startswith(prefix) and not name.endswith("__") else name
