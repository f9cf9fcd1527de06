"""Private names behind a class with type parameters, as they were written: CPython 3.12 goes on as if inside of that class.

`a.__x` behind `class C[T]` is compiled to `a._C__x`, and so it is when the text is compiled again. Before the graph is prepared,
since copies of one piece of code may stand before and behind the class.
"""

from __future__ import annotations

from types import CodeType
from typing import Any, Dict, Optional

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


def class_around(code: CodeType) -> Optional[str]:
    """The name of the class in which a function stands, as private names in it are mangled."""
    for part in reversed(getattr(code, "co_qualname", "").split(".<locals>.")):
        if "." in part:
            return str(part.split(".")[-2])
    return None


def undo_stale_mangling(graph: Graph) -> Dict[int, str]:
    """Gives private names back their short form: attributes everywhere, others from the first class with type parameters on.

    Returns the private names of attributes as they were, by offset: what stands before the class in text is not mangled there."""
    prefix: Optional[str] = None
    found: Dict[int, str] = {}
    instructions = sorted((i for block in graph.blocks for i in block.instructions), key=lambda i: i.offset)
    made = [_class_of(i.arg) for i in instructions if i.op == "CONST"]
    prefixes = tuple(_prefix(name) for name in made if name is not None)
    for instruction in instructions:
        if instruction.op == "CONST":
            name = _class_of(instruction.arg)
            prefix = _prefix(name) if name is not None else prefix
        elif instruction.op in _ATTRIBUTES:
            if "__" in instruction.arg and not instruction.arg.endswith("__"):
                found[instruction.offset] = instruction.arg
                for one in prefixes:
                    instruction.arg = _short(instruction.arg, one)
        elif prefix is not None and isinstance(instruction.arg, str):
            instruction.arg = _short(instruction.arg, prefix)
        elif prefix is not None and instruction.op == "IMPORT":
            instruction.arg = (_short(instruction.arg[0], prefix), *instruction.arg[1:])
    return found


_ATTRIBUTES = frozenset(("LOAD_ATTR", "STORE_ATTR", "DELETE_ATTR"))


def _prefix(name: str) -> str:
    return f"_{name.lstrip('_')}__"


def _short(name: str, prefix: str) -> str:
    return name[len(prefix) - 2 :] if name.startswith(prefix) and not name.endswith("__") else name
