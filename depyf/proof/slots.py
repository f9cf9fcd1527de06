"""Free variables whose names other slots of the frame have, too: an inlined comprehension's variable beside a closure's.

The walk knows variables by name. Before it, such a free variable gets a name of its own, on both sides.
"""

from __future__ import annotations

from typing import List, Set

from depyf.bytecode.canonical import FreeName, Graph, Instruction

_OF_CELLS = frozenset(("LOAD_CELL", "STORE_CELL", "DELETE_CELL", "LOAD_CLOSURE", "LOAD_DICT_OR_CELL"))


def separate_free(first: Graph, second: Graph) -> None:
    """Renames what is ambiguous on one side on both."""
    names = ambiguous_names(first, second)
    for graph in (first, second) if names else ():
        own = _shared(graph)
        for block in graph.blocks:
            for instruction in block.instructions:
                if _is_free(instruction, names.intersection(graph.code.co_freevars), own):
                    instruction.arg = _apart(instruction.arg)


def ambiguous_names(first: Graph, second: Graph) -> Set[str]:
    return _shared(first) | _shared(second)


def free_variables(graph: Graph, ambiguous: Set[str]) -> List[str]:
    """The free variables of a code object, by the names that its instructions have for them now."""
    return [_apart(name) if name in ambiguous else name for name in graph.code.co_freevars]


def _shared(graph: Graph) -> Set[str]:
    code = graph.code
    return set(code.co_freevars).intersection((*code.co_varnames, *code.co_cellvars))


def _is_free(instruction: Instruction, names: Set[str], own: Set[str]) -> bool:
    if type(instruction.arg) is FreeName:
        return True
    return instruction.op in _OF_CELLS and instruction.arg in names and instruction.arg not in own


def _apart(name: str) -> str:
    return f"{name} of the enclosing function"
