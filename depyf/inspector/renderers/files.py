"""The files of one compilation: transformed code, graphs by stage, kernels. Text only; the recorder writes them."""

from __future__ import annotations

from typing import Dict, Iterator, List, Optional, Set, Tuple

from depyf.inspector.renderers.text import HEADER_LINES, graph_text, header, place, standing_alone, valid
from depyf.inspector.session import Compilation, Function, Graph, GraphFile, Session, Transformed

__all__ = ["HEADER_LINES", "around", "graph", "lines_above", "lone_graph", "reading_order", "transformed"]

Neighbours = Dict[str, Tuple[str, str]]

STAGES = {
    "Captured_Graph": "the graph that Dynamo captured, in PyTorch's operations",
    "Joint_graph": "forward and backward in one, as AOTAutograd traced them",
    "Forward_graph": "the forward graph in ATen operations, as AOTAutograd hands it to the compiler",
    "Backward_graph": "the backward graph in ATen operations, as AOTAutograd hands it to the compiler",
    "AFTER_POST_GRAD": "the graph after Inductor's passes, from which kernels are made",
    "Compiled_autograd_graph": "the graph that compiled autograd recorded",
    "DDP_split_graph": "the graph as DDP's optimizer splits it",
    "Exported_program": "the program that torch.export made, with its signature",
    "kernel": "the code that Inductor generated; it runs from Inductor's cache",
}


def belongs(compilation: Compilation) -> str:
    function = compilation.function
    if function is None:
        return f"compile id {compilation.compile_id}"
    return f"compile id {compilation.compile_id} of {function.qualname} ({place(function.file, function.line)[1]})"


def transformed(session: Session, compilation: Compilation, neighbours: Optional[Neighbours] = None) -> str:
    record = compilation.transformed
    if record is None:
        return ""
    before, after = (neighbours or {}).get(record.file, ("", ""))
    if record.linked:
        first = f"linked: this is the source of the code that runs, proven {record.status} to PyTorch's bytecode"
    else:
        first = f"NOT LINKED: {record.why_not_linked or record.reason}; PyTorch's own bytecode runs"
        first += f" (verdict on this text: {record.status})"
    what = "the bytecode that Dynamo generated, as Python"
    if not record.body:
        record.body = valid(standing_alone(record.text, record.name)[0])
    return header(first, what, belongs(compilation), before, after) + record.body


def lines_above(record: Transformed) -> int:
    """How far down in its file the text of transformed code begins."""
    return HEADER_LINES + standing_alone(record.text, record.name)[1]


def graph(
    session: Session, compilation: Compilation, owner: Graph, file: GraphFile, neighbours: Optional[Neighbours] = None
) -> str:
    before, after = (neighbours or {}).get(file.file, ("", ""))
    first = f"{owner.name}, {file.stage}: what the transformed code calls {owner.full_name or owner.name}"
    what = STAGES.get(file.stage, "a graph that the backend showed under this name")
    if file.note:
        what += f": {file.note}"
    if not file.body:
        file.body = valid(file.text) if file.stage == "kernel" else graph_text(file.text)
    return header(first, what, belongs(compilation), before, after) + file.body


def lone_graph(file: GraphFile, neighbours: Optional[Neighbours] = None) -> str:
    before, after = (neighbours or {}).get(file.file, ("", ""))
    first = f"{file.stage}: a graph outside of any compilation"
    if not file.body:
        file.body = graph_text(file.text)
    return header(first, STAGES.get(file.stage, "a graph as it was shown"), "no compiled function", before, after) + file.body


def files_of(compilation: Compilation) -> List[str]:
    names = [] if compilation.transformed is None else [compilation.transformed.file]
    names.extend(file.file for owner in compilation.graphs for file in owner.files if file.file)
    return names


def in_order(function: Function, seen: Optional[Set[int]] = None) -> Iterator[Compilation]:
    """A function's compilations, each followed by those of the functions that it resumes in, as they are executed."""
    seen = set() if seen is None else seen
    pending = [iter(function.compilations)]
    while pending:
        compilation = next(pending[-1], None)
        if compilation is None:
            pending.pop()
        elif compilation.serial not in seen:
            seen.add(compilation.serial)
            yield compilation
            pending.append(iter([c for resume in compilation.resumes.values() for c in resume.compilations]))


def reading_order(session: Session) -> List[str]:
    """All files in the order in which a person would read them."""
    order: Dict[str, None] = {}
    for function in session.top_level():
        if function.full_code:
            order[function.full_code] = None
        for compilation in in_order(function):
            order.update(dict.fromkeys(files_of(compilation)))
    for compilation in session.compilations:
        order.update(dict.fromkeys(files_of(compilation)))
    order.update(dict.fromkeys(file.file for file in session.shown))
    return list(order)


def around(session: Session) -> Neighbours:
    order = reading_order(session)
    previous = ["index.md", *order[:-1]]
    following = [*order[1:], "none, this is the last"]
    return {name: (before, after) for name, before, after in zip(order, previous, following)}
