"""Iterators as values: PyTorch's bytecode makes the iterator of a loop and hands it on, which source can only paraphrase.

The text says `iter(x)`; the code compiled from it makes the iterator without looking up what `iter` means there.
"""

from __future__ import annotations

import dis
from types import CodeType
from typing import List, Optional

_CALLS = ("CALL", "CALL_FUNCTION")


def take_iterators(code: CodeType, original: CodeType) -> CodeType:
    """`code` with each call of `iter` replaced by the instruction, if `original` does not use that name itself."""
    if "iter" in original.co_names or "iter" not in code.co_names:
        return code
    instructions = list(dis.get_instructions(code))
    raw = bytearray(code.co_code)
    for index, instruction in enumerate(instructions):
        if instruction.opname == "LOAD_GLOBAL" and instruction.argval == "iter":
            call = _call(instructions, index)
            if call is not None:
                first = index - 1 if index and instructions[index - 1].opname == "PUSH_NULL" else index
                _erase(raw, instructions, first, index)
                begins = call - 1 if instructions[call - 1].opname == "PRECALL" else call
                _erase(raw, instructions, begins, call)
                raw[instructions[begins].offset : instructions[begins].offset + 2] = bytes([dis.opmap["GET_ITER"], 0])
    return code.replace(co_code=bytes(raw))


def _call(instructions: List[dis.Instruction], index: int) -> Optional[int]:
    """The call of what is loaded at `index`, with one argument, on a straight way."""
    depth = 0
    for position in range(index + 1, len(instructions)):
        instruction = instructions[position]
        if instruction.opname in _CALLS and instruction.arg == 1 and depth == 1:
            return position
        if instruction.opname == "PRECALL":  # belongs to the call behind it
            continue
        if instruction.opcode in dis.hasjrel or instruction.opcode in dis.hasjabs:
            return None
        depth += dis.stack_effect(instruction.opcode, instruction.arg if instruction.opcode >= dis.HAVE_ARGUMENT else None)
    return None


def _erase(raw: bytearray, instructions: List[dis.Instruction], first: int, last: int) -> None:
    begin = instructions[first].offset
    end = instructions[last + 1].offset if last + 1 < len(instructions) else len(raw)
    raw[begin:end] = bytes([dis.opmap["NOP"], 0]) * ((end - begin) // 2)
