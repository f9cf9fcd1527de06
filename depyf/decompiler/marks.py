"""Offsets in a tree that holds several code objects: each carries the number of its own."""

from __future__ import annotations

from typing import Tuple

from depyf.bytecode.canonical import Graph

_OFFSET_BITS = 28  # an offset in nested code number n is n << _OFFSET_BITS | offset
_OFFSETS = (1 << _OFFSET_BITS) - 1


def offset_in(mark: int) -> Tuple[int, int]:
    """The number of the code object, and the offset in it, of an offset in the tree."""
    return mark >> _OFFSET_BITS, mark & _OFFSETS


def number_offsets(graph: Graph, number: int) -> None:
    """All offsets of a graph are those of the code object with that number from now on."""
    base = number << _OFFSET_BITS
    for block in graph.blocks + graph.unreached:
        for instruction in block.instructions:
            instruction.offset += base
    graph.folded = [offset + base for offset in graph.folded]
