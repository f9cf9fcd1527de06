"""Which slots of the stack hold operands that wait for the rest of their expression, at the beginning of each block.

The others are those of statements: iterators, managers, subjects of matches, the exceptions of handlers.
"""

from __future__ import annotations

from typing import Dict, List, Tuple

from depyf.bytecode.canonical import Block, Graph, Instruction
from depyf.bytecode.dominators import Dominators

from .depths import effect

Slots = Tuple[bool, ...]  # whether each is an operand

_OF_STATEMENTS = frozenset((
    "ITER", "AITER", "ANEXT", "ENTER", "ENTER_ASYNC", "PUSH_EXC", "EXC_ENTER", "EXC_MATCH", "EG_MATCH", "LOAD_CLEAR", "SUBJECT",
    "IMPORT", "UNPACK", "UNPACK_EX", "MATCH_MAPPING", "MATCH_SEQUENCE", "MATCH_KEYS", "MATCH_CLASS", "GET_LEN",
))  # fmt: skip
_ADDS = frozenset(("LIST_APPEND", "SET_ADD", "MAP_ADD", "LIST_EXTEND", "SET_UPDATE", "DICT_UPDATE", "DICT_MERGE"))


def waiting_slots(graph: Graph, found: Dominators) -> Dict[Block, Slots]:
    """A handler begins with what its try was given, so with nothing that waits."""
    slots: Dict[Block, Slots] = {}
    for block in found.order:
        stack = list(slots.setdefault(block, (False,) * block.depth))
        for instruction in block.instructions[:-1]:
            step(instruction, stack)
        for position, target in enumerate(block.successors):
            slots.setdefault(target, tuple(_at_successor(block.terminator, stack, position)))
    return slots


def step(instruction: Instruction, stack: List[bool]) -> None:
    """What an instruction leaves on the stack, which is changed."""
    needed, pushed = effect(instruction)
    if instruction.op == "COPY":
        stack.append(stack[-instruction.arg])
    elif instruction.op == "SWAP":
        stack[-1], stack[-instruction.arg] = stack[-instruction.arg], stack[-1]
    elif instruction.op == "WITH_EXCEPT":
        stack.append(False)
    elif instruction.op in _ADDS:
        del stack[pushed - needed :]
    else:
        del stack[len(stack) - needed :]
        stack += [instruction.op not in _OF_STATEMENTS] * pushed
        if instruction.op == "CASE":
            stack[:] = [False] * len(stack)


def _at_successor(terminator: Instruction, stack: List[bool], position: int) -> List[bool]:
    if terminator.op == "BRANCH":
        return stack[:-1]
    if terminator.op == "NEXT":
        slots, pops = terminator.arg[:2]
        return stack[: len(stack) - slots if pops else len(stack)] if position else [*stack, False]
    if terminator.op == "END_ASYNC_FOR":
        return stack[: len(stack) - terminator.arg]
    return stack


def base_of(slots: Slots) -> int:
    """How many slots belong to the statements around, and to what waits for those."""
    base = len(slots)
    while base and slots[base - 1]:
        base -= 1
    return base
