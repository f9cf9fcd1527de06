"""The laws that hold for every graph, whatever code it came from; checked in tests and when DEPYF_CHECK=1.

They repeat nothing of how the graph was built: offsets are compared with a raw decoding of their own, depths are
measured again on the finished graph. A broken law is a DecompilationError at the place where it is broken.
"""

from __future__ import annotations

import sys
from typing import Any, Dict, List, Optional

from depyf.bytecode.canonical import TERMINATORS, Block, Graph
from depyf.bytecode.effects import OPERATIONS, edge_depths, effect_of
from depyf.bytecode.opcodes import Version
from depyf.bytecode.raw import decode
from depyf.errors import DecompilationError

_SUCCESSORS = {
    "FALL": 1,
    "JUMP": 1,
    "BRANCH": 2,
    "NEXT": 2,
    "RETURN": 0,
    "RAISE": 0,
    "RERAISE": 0,
    "END_ASYNC_FOR": 1,
}


def check(graph: Graph, version: Optional[Version] = None) -> None:
    """Raise DecompilationError if a law does not hold."""
    version = version or sys.version_info[:2]
    try:
        _offsets_tile(graph, version)
        _blocks_are_well_formed(graph)
        _edges_agree(graph)
        _depths_agree(graph)
        _handlers_nest(graph)
        _all_is_reached(graph)
    except DecompilationError as error:
        raise error.located(graph.code.co_name) from None


def _broken(law: str, offset: Optional[int] = None, opcode: Any = None) -> DecompilationError:
    return DecompilationError(f"law broken: {law}", None, offset, opcode)


def _offsets_tile(graph: Graph, version: Version) -> None:
    """Each raw instruction is lowered, folded or dead, and exactly one of these; instructions follow one another."""
    raw = decode(graph.code, version)
    kept = {instruction.offset for block in graph.blocks for instruction in block.instructions}
    for offset in graph.folded:
        if offset in kept:
            raise _broken("a folded instruction is in the graph", offset)
    for offset in graph.dead:
        if offset in kept:
            raise _broken("a dead instruction is in the graph", offset)
    if len(set(graph.folded)) != len(graph.folded) or set(graph.folded) & set(graph.dead):
        raise _broken("an instruction is folded twice, or folded and dead")
    known = kept.union(graph.folded, graph.dead)
    for index, offset in enumerate(raw.offsets):
        if offset not in known:
            raise _broken("an instruction was dropped", offset, raw.name(index))
    if len(known) != len(raw.offsets):
        raise _broken("the graph has offsets that are no instructions", max(known.difference(raw.offsets)))


def _blocks_are_well_formed(graph: Graph) -> None:
    """Blocks are numbered in order; only a block's last instruction is a terminator; offsets grow within a block."""
    for index, block in enumerate(graph.blocks):
        if block.index != index:
            raise _broken(f"block {index} is numbered {block.index}", block.offset)
        offset = -1
        for instruction in block.instructions:
            if instruction.op not in OPERATIONS:
                raise _broken(f"{instruction.op} is not a canonical instruction", instruction.offset, instruction.op)
            if (instruction.op in TERMINATORS) != (instruction is block.instructions[-1]):
                raise _broken("a block's last instruction, and no other, ends it", instruction.offset, instruction.op)
            if instruction.offset < offset:
                raise _broken("offsets within a block do not go back", instruction.offset, instruction.op)
            offset = instruction.offset
        last = block.terminator
        if len(block.successors) != _SUCCESSORS[last.op]:
            raise _broken(f"{len(block.successors)} successors", last.offset, last.op)
        if last.op == "FALL" and (index + 1 == len(graph.blocks) or block.successors[0] is not graph.blocks[index + 1]):
            raise _broken("FALL goes on to the next block", last.offset, last.op)


def _edges_agree(graph: Graph) -> None:
    """Successors, predecessors and handlers are of this graph and know of each other."""
    members = {id(block) for block in graph.blocks}
    sources: Dict[int, List[Block]] = {block.index: [] for block in graph.blocks}
    for block in graph.blocks:
        for successor in dict.fromkeys(block.successors):
            if id(successor) not in members:
                raise _broken("a successor is outside of the graph", block.offset)
            sources[successor.index].append(block)
    for block in graph.blocks:
        found = sorted(source.index for source in block.predecessors)
        if found != sorted(source.index for source in sources[block.index]):
            raise _broken("predecessors are those whose successor the block is", block.offset)
        if block.handler is not None and block.handler not in graph.handlers:
            raise _broken("a handler is outside of the graph", block.offset)
    for index, handler in enumerate(graph.handlers):
        if handler.index != index or id(handler.target) not in members:
            raise _broken("a handler is misnumbered, or its target is outside of the graph", handler.target.offset)


def _depths_agree(graph: Graph) -> None:
    """The stack never underflows, and every way to a block arrives with the depth the block says."""
    if graph.blocks[0].depth:
        raise _broken("the entry's stack is empty", graph.blocks[0].offset)
    for block in graph.blocks:
        depth = block.depth
        for instruction in block.instructions:
            pops, pushes = effect_of(instruction.op, instruction.arg)
            if pops > depth:
                raise _broken("stack underflow", instruction.offset, instruction.op)
            before, depth = depth, depth - pops + pushes
        last = block.terminator
        for successor, arriving in zip(block.successors, edge_depths(last.op, last.arg, before)):
            if successor.depth != arriving:
                raise _broken(f"depths {successor.depth} and {arriving} meet", successor.offset)
        handler = block.handler
        if handler is not None and handler.target.depth != handler.depth + handler.lasti + 1:
            raise _broken("a handler is entered at another depth than its block's", handler.target.offset)


def _handlers_nest(graph: Graph) -> None:
    """A handler's depth is at most that where its range starts, and handlers of handlers come to an end."""
    for block in graph.blocks:
        if block.handler is not None and not 0 <= block.handler.depth <= block.depth:
            raise _broken(f"handler depth {block.handler.depth} in a block of depth {block.depth}", block.offset)
    for handler in graph.handlers:
        outer, steps = handler.target.handler, 0
        while outer is not None:
            outer, steps = outer.target.handler, steps + 1
            if steps > len(graph.handlers):
                raise _broken("a handler is covered by itself", handler.target.offset)


def _all_is_reached(graph: Graph) -> None:
    """There is one entry, from which every block can be reached."""
    seen = graph.reached()
    if len(seen) != len(graph.blocks):
        lost = next(block for block in graph.blocks if block not in seen)
        raise _broken("a block cannot be reached", lost.offset)
