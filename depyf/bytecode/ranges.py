"""Protected ranges from the exception table (3.11+): which handler covers which raw instruction.

The table's entries are disjoint and in order; nesting shows only in where the handlers' own code is covered.
"""

from __future__ import annotations

from typing import Dict, List, Optional, Tuple

from depyf.bytecode.raw import Raw
from depyf.errors import DecompilationError

# target's instruction index, depth the stack is cut to, whether the raising position is pushed
HandlerKey = Tuple[int, int, bool]


class Protection:
    """`covering` has, for each raw instruction, an index into `handlers` or -1; None where nothing is protected.

    `setups` is for the versions with a block stack: index of a SETUP instruction -> its handler. There the depths of
    the keys are unknown (-1) until the depths are measured.
    """

    __slots__ = ("covering", "handlers", "setups")

    def __init__(self) -> None:
        self.covering: Optional[List[int]] = None
        self.handlers: List[HandlerKey] = []
        self.setups: Dict[int, int] = {}


def read_exception_table(raw: Raw) -> Protection:
    """Parse co_exceptiontable and spread its entries over the instructions."""
    protection = Protection()
    table = raw.code.co_exceptiontable
    if not table:
        return protection
    entries = _parse(raw, table)
    where = raw.index_of_starts()
    size = len(where) - 1
    covering = [-1] * len(raw.ops)
    numbering: Dict[HandlerKey, int] = {}
    position, end_before = 0, 0
    offsets, count = raw.offsets, len(raw.ops)
    for start, length, target, depth_lasti in entries:
        end = start + length
        if start < end_before or end > size or length == 0:
            raise _broken(raw, f"range {start * 2}..{end * 2} is empty, overlaps another, or leaves the code")
        end_before = end
        if target >= size or where[target] < 0:
            raise _broken(raw, f"handler at offset {target * 2}, where no instruction starts")
        key = (where[target], depth_lasti >> 1, bool(depth_lasti & 1))
        number = numbering.setdefault(key, len(numbering))
        while position < count and offsets[position] < start * 2:
            position += 1
        while position < count and offsets[position] < end * 2:
            covering[position] = number
            position += 1
    protection.covering = covering
    protection.handlers = list(numbering)
    return protection


def _parse(raw: Raw, table: bytes) -> List[Tuple[int, int, int, int]]:
    """Entries of four numbers of 6 bits a byte; bit 7 marks an entry's first byte, bit 6 that the number goes on."""
    entries = []
    numbers: List[int] = []
    value, more = 0, False
    for position, byte in enumerate(table):
        if bool(byte & 0x80) != (not numbers and not more):
            raise _broken(raw, f"byte {position} of it should {'not ' if byte & 0x80 else ''}start an entry")
        value = value << 6 | byte & 0x3F
        more = bool(byte & 0x40)
        if more:
            continue
        numbers.append(value)
        value = 0
        if len(numbers) == 4:
            entries.append((numbers[0], numbers[1], numbers[2], numbers[3]))
            numbers.clear()
    if numbers or more:
        raise _broken(raw, "it ends in the middle of an entry")
    return entries


def _broken(raw: Raw, what: str) -> DecompilationError:
    return DecompilationError(f"broken exception table: {what}", raw.code.co_name)
