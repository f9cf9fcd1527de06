"""Which locals can still be read at a point, so that the proof does not carry the rest along.

The usual backward analysis over blocks, names as bits of an integer. A local that a handler reads is live in all of the
block that the handler covers. A superset of the live names is always safe.
"""

from __future__ import annotations

from typing import Dict, Iterable, Iterator, List, Set, Tuple

from depyf.bytecode.canonical import Block, Graph

_READS = frozenset(
    (
        "LOAD_LOCAL",
        "LOAD_CLEAR",
        "DELETE_LOCAL",
        "MAKE_CELL",
        "LOAD_CELL",
        "STORE_CELL",
        "DELETE_CELL",
        "LOAD_CLOSURE",
        "LOAD_DICT_OR_CELL",
    )
)
_WRITES = frozenset(("STORE_LOCAL", "LOAD_CLEAR", "DELETE_LOCAL", "MAKE_CELL"))
_TOUCHES = _READS | _WRITES


class Liveness:
    """Live names by program point of one graph.

    `everything` says that all locals are observed (`locals()`), `always` names some that are (`super()`).
    """

    def __init__(self, graph: Graph, everything: bool, always: Tuple[str, ...] = ()) -> None:
        self._points: Dict[Tuple[int, int], Tuple[str, ...]] = {}
        reads, writes = _summarise(graph)
        if everything:
            exposed = dict.fromkeys([name for names in (*reads, *writes, always) for name in names])
        else:
            exposed = dict.fromkeys([name for names in (*reads, always) for name in names])
        self._names = list(exposed)  # only these can be live between blocks
        bit = {name: 1 << position for position, name in enumerate(exposed)}
        self._always = (1 << len(exposed)) - 1 if everything else _mask(bit, always)
        self._live = _solve(
            graph,
            [_mask(bit, names) for names in reads],
            [_mask(bit, names) for names in writes],
        )

    def names(self, block: Block, index: int) -> Tuple[str, ...]:
        """Names that may be live before the instruction at `index` of `block`."""
        key = (block.index, index)
        found = self._points.get(key)
        if found is None:
            mask = self._always
            if index == 0:
                mask |= self._live[block.index]
            else:
                for successor in block.successors:
                    mask |= self._live[successor.index]
            if block.handler is not None:
                mask |= self._live[block.handler.target.index]
            names = dict.fromkeys(self._spread(mask))
            if index:
                for instruction in reversed(block.instructions[index:]):
                    op = instruction.op
                    if op in _WRITES and block.handler is None and not self._always:
                        names.pop(instruction.arg, None)
                    if op in _READS:
                        names[instruction.arg] = None
            found = self._points[key] = tuple(names)
        return found

    def _spread(self, mask: int) -> Iterator[str]:
        while mask:
            lowest = mask & -mask
            yield self._names[lowest.bit_length() - 1]
            mask ^= lowest


def _summarise(graph: Graph) -> Tuple[List[Set[str]], List[Set[str]]]:
    """Per block: names read before they are written, and names written."""
    reads: List[Set[str]] = []
    writes: List[Set[str]] = []
    for block in graph.blocks:
        read: Set[str] = set()
        written: Set[str] = set()
        for instruction in block.instructions:
            op = instruction.op
            if op in _TOUCHES:
                name = instruction.arg
                if op in _READS and name not in written:
                    read.add(name)
                if op in _WRITES:
                    written.add(name)
        reads.append(read)
        writes.append(written)
    return reads, writes


def _mask(bit: Dict[str, int], names: Iterable[str]) -> int:
    mask = 0
    for name in names:
        if name in bit:
            mask |= bit[name]
    return mask


def _solve(graph: Graph, reads: List[int], writes: List[int]) -> List[int]:
    live = list(reads)
    depends: List[List[int]] = [[] for _ in graph.blocks]
    for block in graph.blocks:
        for successor in block.successors:
            depends[successor.index].append(block.index)
        if block.handler is not None:
            depends[block.handler.target.index].append(block.index)
    work = list(range(len(graph.blocks)))  # taken from the end: backwards through the code
    queued = [True] * len(work)
    while work:
        index = work.pop()
        queued[index] = False
        block = graph.blocks[index]
        after = 0
        for successor in block.successors:
            after |= live[successor.index]
        mask = reads[index] | (after & ~writes[index])
        if block.handler is not None:
            mask |= live[block.handler.target.index]
        if mask != live[index]:
            live[index] = mask
            for other in depends[index]:
                if not queued[other]:
                    queued[other] = True
                    work.append(other)
    return live
