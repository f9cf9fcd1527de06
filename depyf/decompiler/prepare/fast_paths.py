"""Calls that the compiler has inlined: all(), any(), tuple(), list() or set() of a generator expression (since 3.14).

It tests whether the name still means the builtin; if so a loop runs in place of the call, else the call is made. The
loop does nothing that the call would not do, so the tree is built from the call alone.
"""

from __future__ import annotations

from depyf.bytecode.canonical import Block, Graph, Instruction

_TEST = ["COPY", "BUILTIN", "IS", "BRANCH"]


def cut_fast_paths(graph: Graph) -> bool:
    """Leaves only the way to the plain call. Returns whether there was anything to cut."""
    found = False
    for block in graph.blocks:
        if _tests_builtin(block):
            found = True
            fast, call = block.successors
            start = block.instructions[-4]
            block.instructions[-4:] = [Instruction("JUMP", None, start.offset, start.line)]
            block.successors = (call,)
            fast.predecessors.remove(block)
    return found


def _tests_builtin(block: Block) -> bool:
    last = block.instructions[-4:]
    if [i.op for i in last] != _TEST or last[0].arg != 1 or last[2].arg:
        return False
    if_builtin, otherwise = block.successors
    return if_builtin.instructions[0].op == "POP" and otherwise.instructions[0].op == "NULL"
