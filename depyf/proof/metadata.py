"""What two code objects must share besides their instructions: parameters, flags, names, docstring, free variables.

Line numbers, the file, the order of cells and stack sizes are not behaviour and are not looked at.
"""

from __future__ import annotations

import inspect
from types import CodeType, FunctionType
from typing import Any, Optional, Tuple

from depyf.bytecode.canonical import Graph
from depyf.bytecode.codes import local_names
from depyf.proof.entry import argument_names
from depyf.proof.values import constant_key

# these follow from where the code stands and what it uses, and change nothing by themselves
_NOFREE, _METHOD = 0x40, 0x8000000
_IGNORED_FLAGS = inspect.CO_NESTED | _NOFREE | _METHOD
_FUNCTION_FLAGS = inspect.CO_OPTIMIZED | inspect.CO_NEWLOCALS


def metadata_difference(a: CodeType, b: CodeType) -> Optional[str]:
    """Words for the first difference, or None."""
    if a.co_name != b.co_name:
        return f"the names differ: {a.co_name!r} and {b.co_name!r}"
    for what in ("co_argcount", "co_posonlyargcount", "co_kwonlyargcount", "co_freevars"):
        if getattr(a, what) != getattr(b, what):
            return f"{what} differs: {getattr(a, what)} and {getattr(b, what)}"
    flags = (a.co_flags ^ b.co_flags) & ~_IGNORED_FLAGS
    if flags:
        return f"the flags differ: {', '.join(_flag_names(flags))}"
    if argument_names(a) != argument_names(b):
        return f"the parameters differ: {argument_names(a)} and {argument_names(b)}"
    if docstring(a) != docstring(b):
        return "the docstrings differ"
    return None


def ambiguous(code: CodeType) -> bool:
    """Whether one table has a name twice, so that a comparison by name could take one slot for the other.

    Locals of the same name have names of their own in the graph (`local_names`), but not beside a cell of that name.
    """
    again = {name for name, apart in zip(code.co_varnames, local_names(code)) if name != apart}
    cells = (code.co_cellvars, code.co_freevars)
    return any(len(set(names)) != len(names) or not again.isdisjoint(names) for names in cells)


def same_slots(first: Graph, second: Graph) -> bool:
    """Whether two code objects use the same slots at the same places: for those with ambiguous names.

    Their bytecode must be the same, but for which constants it loads.
    """
    a, b = first.code, second.code
    if any(getattr(a, field) != getattr(b, field) for field in ("co_varnames", "co_cellvars", "co_freevars")):
        return False
    one, other = a.co_code, b.co_code
    if len(one) != len(other):
        return False
    constants = [
        {i.offset for block in graph.blocks for i in block.instructions if i.op == "CONST"} for graph in (first, second)
    ]
    both = constants[0] & constants[1]
    return all(place & ~1 in both for place in range(len(one)) if one[place] != other[place])


def _flag_names(flags: int) -> Tuple[str, ...]:
    known = inspect.__dict__.get("CO_FLAG_NAMES") or __import__("dis").COMPILER_FLAG_NAMES
    return tuple(known.get(1 << bit, hex(1 << bit)) for bit in range(flags.bit_length()) if flags >> bit & 1)


def docstring(code: CodeType) -> Optional[str]:
    """The docstring that a function made of this code would have; no one sees that of a comprehension."""
    if code.co_flags & _FUNCTION_FLAGS != _FUNCTION_FLAGS or (code.co_name[:1] == "<" and code.co_name != "<lambda>"):
        return None
    if not code.co_consts or type(code.co_consts[0]) is not str:
        return None
    closure = tuple(_cell() for _ in code.co_freevars)
    return FunctionType(code, {}, closure=closure).__doc__


def _cell() -> Any:
    value = None
    return (lambda: value).__closure__[0]  # type: ignore[index]  # types.CellType takes no argument on 3.8


def defaults_difference(a: FunctionType, b: FunctionType) -> Optional[str]:
    """The defaults of two functions: the same objects, or equal constants."""
    first, second = a.__defaults__ or (), b.__defaults__ or ()
    if len(first) != len(second) or not all(map(_same, first, second)):
        return "the defaults differ"
    keywords, others = a.__kwdefaults__ or {}, b.__kwdefaults__ or {}
    if keywords.keys() != others.keys() or not all(_same(keywords[name], others[name]) for name in keywords):
        return "the keyword defaults differ"
    return None


def _same(first: Any, second: Any) -> bool:
    return first is second or constant_key(first) == constant_key(second)


class QualifiedNames:
    """Compares the qualified names of nested functions and classes, relative to those of the two outermost codes.

    A function that was compiled outside of its class has another prefix; only what follows it is compared.
    """

    def __init__(self, a: CodeType, b: CodeType) -> None:
        self.name = a.co_name
        self.prefixes: Optional[Tuple[str, str]] = None
        first, second = getattr(a, "co_qualname", None), getattr(b, "co_qualname", None)
        if first is not None and second is not None:
            self.prefixes = (first, second)

    def agree(self, first: str, second: str) -> bool:
        if first == second:
            return True
        if self.prefixes is None:  # up to 3.10 a code object does not know its own qualified name
            self.prefixes = self._infer(first, second)
            if self.prefixes is None:
                return False
        one, other = self.prefixes
        return (
            self.name != "<module>"
            and first.startswith(one + ".")
            and second.startswith(other + ".")
            and first[len(one) :] == second[len(other) :]
        )

    def _infer(self, first: str, second: str) -> Optional[Tuple[str, str]]:
        """The longest common ending that starts with the name of the outermost code."""
        parts, others = first.split("."), second.split(".")
        found = None
        for length in range(1, min(len(parts), len(others)) + 1):
            if parts[-length] != others[-length]:
                break
            if parts[-length] == self.name and length > 1:
                found = length
        if found is None:
            return None
        return ".".join(parts[: len(parts) - found + 1]), ".".join(others[: len(others) - found + 1])
