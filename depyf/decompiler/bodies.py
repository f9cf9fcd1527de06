"""Modules and class bodies end in one place, however many copies of the return the compiler made.

There is no `return` statement in them: ways that end early must lead to the end of the text.
"""

from __future__ import annotations

from depyf.bytecode.canonical import Block, Graph, Instruction
from depyf.bytecode.codes import is_function


def join_ends(graph: Graph) -> None:
    """Lets every `return None` of a body that is no function go to one shared block."""
    if is_function(graph.code):
        return
    returning = [block for block in graph.blocks if _returns_none(block)]
    if len(returning) < 2:
        return
    last = max(returning, key=lambda block: block.terminator.offset)
    end = Block(len(graph.blocks))
    end.instructions = last.instructions[-2:]
    end.depth = last.depth if len(last.instructions) == 2 else 0
    for block in returning:
        value = block.instructions[-2]
        block.instructions = [*block.instructions[:-2], Instruction("JUMP", None, value.offset, value.line)]
        block.successors = (end,)
        end.predecessors.append(block)
    graph.blocks.append(end)


def _returns_none(block: Block) -> bool:
    instructions = block.instructions
    if len(instructions) < 2 or instructions[-1].op != "RETURN":
        return False
    return instructions[-2].op == "CONST" and instructions[-2].arg is None


__all__ = ["join_ends"]
