"""Places that the compiler repeated, in a graph whose contexts are known: each becomes one place again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Hashable, List, Optional, Set, Tuple

from depyf.bytecode.canonical import Block, Graph

from .contexts import renumber
from .ways import returns_what_is_there

if TYPE_CHECKING:
    from .regions import Regions


def join_reraises(graph: Graph, regions: Regions) -> None:
    """A handler raises again in one place, however often the compiler repeated it."""
    first: Dict[Tuple[int, int], Block] = {}
    gone: Set[Block] = set()
    for block in graph.blocks:
        if len(block.instructions) != 1 or block.terminator.op != "RERAISE" or not block.predecessors:
            continue
        key = id(regions.context[block.index]), block.depth  # below it may be what a return has under way
        kept = first.setdefault(key, block)
        if kept is not block:
            gone.add(block)
            _lead_to(kept, block)
    _remove(graph, regions, gone)


def join_leaves(graph: Graph, regions: Regions) -> None:
    """An except clause that is left on one line for one place is left once, however often the compiler repeated it."""
    groups: Dict[Tuple[int, Block, Optional[int]], List[Block]] = {}
    for block in graph.blocks:
        leaving = block in regions.leaves and all(i.op in _LEAVING for i in block.instructions)
        if leaving and not returns_what_is_there((block, 0)):
            key = (id(regions.context[block.index]), block.successors[0], block.terminator.line)
            groups.setdefault(key, []).append(block)
    for blocks in groups.values():
        home = next((b for b in blocks if len(b.instructions) == 2), None)
        for block in blocks if home is not None and len(blocks) > 1 else ():
            if block is home or home is None:
                continue
            block.instructions = [*block.instructions[:-2], block.terminator]
            block.successors[0].predecessors.remove(block)
            block.successors = (home,)
            home.predecessors.append(block)
            regions.leaves.discard(block)


_LEAVING = frozenset(("POP", "SWAP", "POP_EXCEPT", "FALL", "JUMP"))


def join_alike(graph: Graph, regions: Regions) -> None:
    """Ways out of handlers that a test leads to, and that are the same: it decides nothing. What a clause catches is no such test."""
    gone: Set[Block] = set()
    work = [b for b in graph.blocks if b.terminator.op == "BRANCH" and not _catches(b)]
    while work:
        branch = work.pop()
        one, other = branch.successors
        if one is other or not _alike(one, other, regions):
            continue
        while one is not other:
            following = (one.successors[0], other.successors[0]) if one.successors else (one, one)
            gone.add(other)
            _lead_to(one, other)
            one, other = following
        work.extend(p for p in branch.predecessors if p.terminator.op == "BRANCH" and p is not branch and not _catches(p))
    _remove(graph, regions, gone)


def _catches(branch: Block) -> bool:
    return len(branch.instructions) > 1 and branch.instructions[-2].op in ("EXC_MATCH", "EG_MATCH")


def _alike(one: Block, other: Block, regions: Regions) -> bool:
    """Whether two ways do the same, instruction by instruction, up to an end or to one place; one of them leaves a handler."""
    leaves = False
    for _ in range(_LONGEST):
        if one is other:
            return leaves
        if len(one.successors) > 1 or len(one.predecessors) != 1 or len(other.predecessors) != 1:
            return False
        if one in regions.opens or regions.context[one.index] is not regions.context[other.index]:
            return False
        if one.handler is not other.handler or one.depth != other.depth or _key(one) != _key(other):
            return False
        leaves = leaves or one in regions.leaves
        if not one.successors:
            return leaves
        one, other = one.successors[0], other.successors[0]
    return False


_LONGEST = 6  # blocks on the way out of nested handlers


def _key(block: Block) -> Hashable:
    """What a block does, if it does nothing but leave handlers; lines are those of what stood before."""
    if not all(i.op.partition("_")[0] in _LEAVES for i in block.instructions):
        return id(block)
    return tuple((i.op, _key_of(i.arg)) for i in block.instructions)


_LEAVES = frozenset(("POP", "SWAP", "CONST", "STORE", "DELETE", "RETURN", "FALL", "JUMP"))


def _key_of(argument: Any) -> Hashable:
    return type(argument), repr(argument)


def _lead_to(kept: Block, block: Block) -> None:
    """What led to `block` leads to `kept`."""
    for source in dict.fromkeys(block.predecessors):
        source.successors = tuple(kept if s is block else s for s in source.successors)
        kept.predecessors.append(source)
    for target in dict.fromkeys(block.successors):
        target.predecessors = [p for p in target.predecessors if p is not block]


def _remove(graph: Graph, regions: Regions, gone: Set[Block]) -> None:
    if gone:
        contexts = {b: regions.context[b.index] for b in graph.blocks}
        graph.blocks = [b for b in graph.blocks if b not in gone]
        renumber(graph)
        regions.context = [contexts[b] for b in graph.blocks]
