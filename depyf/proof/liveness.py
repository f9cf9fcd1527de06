"""Which locals can still be read at a point, so that the proof does not carry the rest along.

The usual backward analysis over blocks, names as bits of an integer. A local that a handler reads is live in all of the
block that the handler covers. A superset of the live names is always safe.
"""

from __future__ import annotations

from typing import Dict, List, Tuple

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
    """Live names by program point of one graph; `everything` says that all locals are observed (`locals()`)."""

    def __init__(self, graph: Graph, everything: bool) -> None:
        self._bit: Dict[str, int] = {}
        self._names: Dict[int, Tuple[str, ...]] = {}
        self._points: Dict[Tuple[int, int], Tuple[str, ...]] = {}
        reads, writes = self._summarise(graph)
        self._everything = (1 << len(self._bit)) - 1 if everything else 0
        self._live = self._solve(graph, reads, writes)

    def _summarise(self, graph: Graph) -> Tuple[List[int], List[int]]:
        """Per block: names read before they are written, and names written."""
        bit = self._bit
        reads: List[int] = []
        writes: List[int] = []
        for block in graph.blocks:
            read = written = 0
            for instruction in block.instructions:
                op = instruction.op
                if op in _TOUCHES:
                    name = instruction.arg
                    if name not in bit:
                        bit[name] = 1 << len(bit)
                    mask = bit[name]
                    if op in _READS and not written & mask:
                        read |= mask
                    if op in _WRITES:
                        written |= mask
            reads.append(read)
            writes.append(written)
        return reads, writes

    def _solve(self, graph: Graph, reads: List[int], writes: List[int]) -> List[int]:
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

    def names(self, block: Block, index: int) -> Tuple[str, ...]:
        """Names that may be live before the instruction at `index` of `block`."""
        key = (block.index, index)
        found = self._points.get(key)
        if found is None:
            mask = self._live[block.index] | self._everything
            for instruction in block.instructions[:index]:
                if instruction.op in _WRITES:
                    mask |= self._bit[instruction.arg]
            found = self._names.get(mask)
            if found is None:
                found = tuple([name for name, bit in self._bit.items() if mask & bit])
                self._names[mask] = found
            self._points[key] = found
        return found
