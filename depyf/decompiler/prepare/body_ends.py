"""The end of a module or class body: it has no return statement, so all its ends are one place.

What the compiler stores last in a class is no text either, and it repeats that with each return.
"""

from __future__ import annotations

from typing import Any, List, Tuple

from depyf.bytecode.canonical import Block, Graph, Instruction


def join_body_ends(graph: Graph) -> None:
    """All ends of a body that cannot return become one, behind everything."""
    ends = [block for block in graph.blocks if _length_of_return(block)]
    if len(ends) < 2 and not (ends and len(ends[0].predecessors) > 1):
        return
    # it stands behind every loop, wherever it was laid out; nothing of it is printed
    bottom = max(block.terminator.offset for block in graph.blocks) + 1
    returning = _length_of_return(ends[0])
    bare = [end for end in ends if len(end.instructions) == returning]
    for end in bare:
        _gather_last_stores(end, bottom)
    if bare == ends and len(ends) == 1:
        return
    if any(_keys(block, returning) != _keys(ends[0], returning) for block in ends):
        return
    last = ends[-1].instructions[-1]
    length = _common_end(ends, returning)
    final = Block(len(graph.blocks))
    final.instructions = ends[-1].instructions[-length:]
    for block in ends:
        jump = Instruction("JUMP", None, block.terminator.offset, block.terminator.line)
        block.instructions = [*block.instructions[:-length], jump]
        block.successors = (final,)
        final.predecessors.append(block)
    final.instructions = [Instruction(i.op, i.arg, bottom, last.line) for i in final.instructions]
    graph.blocks.append(final)


def _length_of_return(block: Block) -> int:
    """How many instructions return from a body; 0 if a block does not. A class returns the cell of `__class__`, if it has one."""
    if block.terminator.op != "RETURN":
        return 0
    before = block.instructions[-2:-1]
    if before and before[0].op == "CONST":
        return 2
    return 4 if [i.arg for i in before] == ["__classcell__"] else 0


def _gather_last_stores(end: Block, bottom: int) -> None:
    """The ways to the one end of a class body may each bring what the compiler stores there last."""
    ways = end.predecessors
    stores: List[Instruction] = []
    if all(way.successors == (end,) for way in ways):
        length = _common_end(ways, 1)
        stores = ways[-1].instructions[-length:-1]
        for way in ways:
            way.instructions = [*way.instructions[:-length], way.terminator]
    end.instructions = [Instruction(i.op, i.arg, bottom, end.terminator.line) for i in (*stores, *end.instructions)]


def _common_end(ends: List[Block], length: int) -> int:
    """How many instructions end a class body: `length`, and what the compiler stores there last."""
    while True:
        keys = _keys(ends[0], length + 2)[:2]
        if len(keys) < 2 or keys[1] not in _STORED_LAST or keys[0][0] not in ("CONST", "LOAD_CLOSURE"):
            return length
        if any(_keys(block, length + 2)[:2] != keys for block in ends):
            return length
        length += 2


_STORED_LAST = (("STORE_NAME", "__static_attributes__"), ("STORE_NAME", "__classdictcell__"))


def _keys(block: Block, length: int) -> List[Tuple[str, Any]]:
    """What the last `length` instructions do, if there are as many."""
    return [(i.op, i.arg) for i in block.instructions[-length:]] if length <= len(block.instructions) else []
