"""A readable picture of a graph, for people who debug the decompiler.

Used by `python -m depyf.bytecode`. Assumes nothing but the canonical data classes.
"""

from __future__ import annotations

from typing import List

from depyf.bytecode.canonical import Graph


def describe(graph: Graph) -> str:
    """The blocks of a graph with depths, handlers, predecessors and instructions, as text."""
    out: List[str] = [f"code {graph.code.co_name!r}: {len(graph.blocks)} blocks, {len(graph.handlers)} handlers"]
    for handler in graph.handlers:
        out.append(f"  {handler!r}")
    for block in graph.blocks:
        head = f"block {block.index} depth {block.depth}"
        if block.copy:
            head += f" copy {block.copy}"
        if block.handler is not None:
            head += f" handler {block.handler.index}"
        if block.predecessors:
            head += " from " + ", ".join(str(other.index) for other in block.predecessors)
        out.append(head)
        line = None
        for instruction in block.instructions:
            shown = "" if instruction.line == line else str(instruction.line)
            line = instruction.line
            argument = "" if instruction.arg is None and instruction.op != "CONST" else f" {instruction.arg!r}"
            out.append(f"  {shown:>5} {instruction.offset:>5}  {instruction.op}{argument}")
        if block.successors:
            out.append("                -> " + ", ".join(str(other.index) for other in block.successors))
    if graph.dead:
        out.append("dead: " + ", ".join(map(str, graph.dead)))
    return "\n".join(out)
