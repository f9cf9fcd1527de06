"""The state in which both frames start: the same arguments, empty locals, cells by name.

Cells that the prologue makes exist from the start, because their order there means nothing.
"""

from __future__ import annotations

from typing import Any, Dict, List, Set

from depyf.bytecode.canonical import Block, Graph
from depyf.bytecode.codes import parameter_count
from depyf.proof.slots import ambiguous_names, free_variables
from depyf.proof.state import Side, State
from depyf.proof.values import NULL, Values

ARGUMENT = "the argument"  # what gave a value that the frame was called with


def argument_names(code: Any) -> List[str]:
    """The parameters of a code object, in the order of its locals."""
    return list(code.co_varnames[: parameter_count(code)])


def entry_state(values: Values, first: Graph, second: Graph) -> State:
    """Both frames before their first instructions. That the parameters agree was compared before."""
    outside = values.result("the exception handled outside", None)
    arguments = {name: values.result(ARGUMENT, name) for name in argument_names(first.code)}
    contents: Dict[int, int] = {}
    values.separate_cells = any(_cells_without_maker(graph) for graph in (first, second))
    ambiguous = ambiguous_names(first, second)
    sides = [
        _frame(values, number, graph, free_variables(graph, ambiguous), arguments, contents, outside)
        for number, graph in enumerate((first, second))
    ]
    state = State(*sides)
    state.contents = contents
    return state


def _frame(
    values: Values,
    number: int,
    graph: Graph,
    free: List[str],
    arguments: Dict[str, int],
    contents: Dict[int, int],
    outside: int,
) -> Side:
    code, block = graph.code, graph.blocks[0]
    names = dict(arguments)
    start = _prologue(block)
    made = [instruction.arg for instruction in block.instructions[:start]]
    later = _makers(graph).difference(made)
    for name in (*made, *[name for name in code.co_cellvars if name not in later], *free):
        cell = values.apply("cell", name)
        if name not in free:
            contents[cell] = arguments.get(name, NULL)
        names[name] = NULL if values.separate_cells else cell
    return Side(number, block, start, [], names, outside)


def _makers(graph: Graph) -> Set[str]:
    """Names for which some instruction makes a cell."""
    return {i.arg for block in graph.blocks for i in block.instructions if i.op == "MAKE_CELL"}


def _cells_without_maker(graph: Graph) -> bool:
    cells = graph.code.co_cellvars
    return bool(cells) and not _makers(graph)


def _prologue(block: Block) -> int:
    """How many instructions at the start make cells."""
    if block.predecessors:
        return 0
    count = 0
    while block.instructions[count].op == "MAKE_CELL":
        count += 1
    return count
