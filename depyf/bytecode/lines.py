"""Line numbers: one per code unit, from co_lines() where there is one (3.10+), else from co_lnotab.

Read once and linearly. A damaged table costs only line numbers: what it does not say is None.
"""

from __future__ import annotations

import sys
from typing import Any, Dict, List, Optional, Tuple


def unit_lines(code: Any, size: int, version: Tuple[int, int]) -> List[Optional[int]]:
    """The line of each of the `size` code units."""
    lines: List[Optional[int]] = []
    if version >= (3, 10):
        for start, end, line in code.co_lines():
            lines += [line] * ((end - start) // 2)
            if len(lines) >= size:
                break
    else:
        _read_lnotab(code.co_lnotab, code.co_firstlineno, lines)
        lines += [lines[-1] if lines else code.co_firstlineno] * (size - len(lines))
    if len(lines) < size:
        lines += [None] * (size - len(lines))
    return lines


def _read_lnotab(table: bytes, line: int, lines: List[Optional[int]]) -> None:
    """Each pair is a step in bytes and a signed step in lines; the line step holds from the new address on."""
    address = done = 0
    for step, change in zip(table[::2], table[1::2]):
        if step:
            address += step
            lines += [line] * (address // 2 - done)
            done = address // 2
        line += change - 256 if change >= 128 else change
    lines.append(line)


def line_of_each_offset(code: Any) -> Dict[int, Optional[int]]:
    """Bytecode offset -> source line, for the running version."""
    return {2 * unit: line for unit, line in enumerate(unit_lines(code, len(code.co_code) // 2, sys.version_info[:2]))}
