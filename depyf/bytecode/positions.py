"""Columns of instructions, for those who ask: where on its line each instruction's source begins (3.11+).

Not part of the graph, because most users need lines only and reading columns costs as much as decoding.
"""

from __future__ import annotations

from itertools import groupby
from typing import Any, Dict, Iterator, Tuple


def spans(code: Any) -> Iterator[Tuple[int, int, int]]:
    """(line, first column, width) of code whose source stands on one line, in the order of the bytecode; nothing without columns.

    Code units in a row that have one place, as an instruction has with its caches, count once."""
    positions = getattr(code, "co_positions", None)
    for (line, last, column, end), _ in groupby(positions()) if positions is not None else ():
        if line is not None and line == last and column is not None and end is not None:
            yield line, column, end - column


def places(code: Any) -> Dict[int, Tuple[int, ...]]:
    """Offset -> (last line, first column, last column) of the source of an instruction, of those that have all three."""
    positions = getattr(code, "co_positions", None)
    found = enumerate(positions()) if positions is not None else ()
    return {2 * unit: tuple(place[1:]) for unit, place in found if None not in place}


def beginnings(code: Any) -> Iterator[Tuple[int, int]]:
    """(line, first column) of the same, and of code whose source goes on to other lines."""
    positions = getattr(code, "co_positions", None)
    for (line, _, column, _), _ in groupby(positions()) if positions is not None else ():
        if line is not None and column is not None:
            yield line, column
