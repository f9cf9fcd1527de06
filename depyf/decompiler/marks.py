"""Offsets in a tree that holds several code objects: each carries the number of its own. The lines they were written on."""

from __future__ import annotations

from typing import Iterable, List, Optional, Set, Tuple

from depyf.bytecode.canonical import Graph

_OFFSET_BITS = 28  # an offset in nested code number n is n << _OFFSET_BITS | offset
_OFFSETS = (1 << _OFFSET_BITS) - 1


def offset_in(mark: int) -> Tuple[int, int]:
    """The number of the code object, and the offset in it, of an offset in the tree."""
    return mark >> _OFFSET_BITS, mark & _OFFSETS


class Lines:
    """The source lines of one code object, by offset: a line for each code unit, which takes less than a table of offsets would.

    `silent` are the offsets of what does nothing, or never runs."""

    __slots__ = ("_units", "_silent")

    def __init__(self, units: List[Optional[int]], silent: Iterable[int] = ()) -> None:
        self._units = units
        self._silent = silent

    def get(self, mark: int) -> Optional[int]:
        unit = (mark & _OFFSETS) >> 1
        return self._units[unit] if unit < len(self._units) else None

    def busy(self) -> Set[int]:
        """The lines on which something stands that does something."""
        silent = {(mark & _OFFSETS) >> 1 for mark in self._silent}
        return {line for unit, line in enumerate(self._units) if line is not None and unit not in silent}


class Offsets:
    """A set of offsets in one code object: a byte for each code unit, which takes less than a set does where they are many."""

    __slots__ = ("_units",)

    def __init__(self) -> None:
        self._units = bytearray()

    def add(self, mark: int) -> None:
        unit = (mark & _OFFSETS) >> 1
        if unit >= len(self._units):
            self._units.extend(bytes(2 * unit + 64 - len(self._units)))
        self._units[unit] = True

    def __contains__(self, mark: int) -> bool:
        unit = (mark & _OFFSETS) >> 1
        return unit < len(self._units) and bool(self._units[unit])


def number_offsets(graph: Graph, number: int) -> None:
    """All offsets of a graph are those of the code object with that number from now on."""
    base = number << _OFFSET_BITS
    offset = mark = -1
    for block in graph.blocks + graph.unreached:
        for instruction in block.instructions:
            if instruction.offset != offset:  # several have one: one number for all of them takes less memory
                offset = instruction.offset
                mark = offset + base
            instruction.offset = mark
    graph.folded = [offset + base for offset in graph.folded]
