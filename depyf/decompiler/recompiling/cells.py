"""Cells as values: PyTorch's bytecode loads the cell of a variable and hands it on, which source can only paraphrase.

The text says `(lambda: x).__closure__[0]`, which is that cell; the code compiled from it loads the cell without the detour.
"""

from __future__ import annotations

import dis
from types import CodeType
from typing import List, Optional

_ATTRIBUTE = "__closure__"
_FUNCTION = ("LOAD_CONST", "MAKE_FUNCTION", "SET_FUNCTION_ATTRIBUTE", "EXTENDED_ARG")
_INDEX = ("LOAD_CONST", "LOAD_SMALL_INT", "EXTENDED_ARG")


def load_cells(code: CodeType, original: CodeType) -> CodeType:
    """`code` with each paraphrase of a cell replaced by the cell, if `original` does not read `__closure__` itself."""
    if _ATTRIBUTE in original.co_names or _ATTRIBUTE not in code.co_names:
        return code
    instructions = list(dis.get_instructions(code))
    raw = bytearray(code.co_code)
    nop = dis.opmap["NOP"]
    for index, instruction in enumerate(instructions):
        if instruction.opname == "LOAD_ATTR" and instruction.argval == _ATTRIBUTE:
            first, last = _start(instructions, index), _end(instructions, index)
            if first is not None and last is not None and last + 1 < len(instructions):
                begin, end = instructions[first].offset, instructions[last + 1].offset
                raw[begin:end] = bytes([nop, 0]) * ((end - begin) // 2)
    return code.replace(co_code=bytes(raw))


def _start(instructions: List[dis.Instruction], index: int) -> Optional[int]:
    """Where the tuple of the one cell is built, which stands on the stack before; None if this is something else."""
    position = index - 1
    functions = 0
    while position >= 0 and instructions[position].opname in _FUNCTION:
        functions += instructions[position].opname == "MAKE_FUNCTION"
        position -= 1
    found = instructions[position] if position >= 0 else None
    is_cell = found is not None and found.opname == "BUILD_TUPLE" and found.arg == 1 and functions == 1
    return position if is_cell else None


def _end(instructions: List[dis.Instruction], index: int) -> Optional[int]:
    position = index + 1
    while position < len(instructions) and instructions[position].opname in _INDEX:
        position += 1
    if position < len(instructions) and instructions[position].opname in ("BINARY_SUBSCR", "BINARY_OP"):
        return position
    return None
