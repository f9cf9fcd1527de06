"""What line numbers tell about how code was written: a jump or a bare return that has a line of its own.

`continue` and `return` leave no trace in the bytecode but their line; code that falls to the same place shares the
line of something else. Code that was generated has lines that say nothing, and then nothing is concluded.
"""

from __future__ import annotations

from typing import Dict, FrozenSet, Iterator, List, Set

from depyf.bytecode.canonical import Block, Instruction

# RERAISE, EXC_ENTER: up to 3.8 what the compiler adds to the end of a handler has the line of its last statement
_LEAVES = frozenset(("JUMP", "FALL", "POP", "POP_EXCEPT", "SWAP", "CONST", "RETURN", "NULL", "RERAISE", "EXC_ENTER"))


def lines_of_jumps(blocks: List[Block], may_return: bool) -> FrozenSet[int]:
    """The lines on which nothing stands but leaving: by a jump or, where that can be written, by returning None."""
    leaves = _LEAVES if may_return else _LEAVES - {"RETURN"}
    ops: Dict[int, Set[str]] = {}
    for block in blocks:
        for instruction in _without_cleanup(block.instructions):
            if instruction.line is not None and instruction.op != "FALL":
                ops.setdefault(instruction.line, set()).add(instruction.op)
                if instruction.op == "CONST" and instruction.arg is not None:
                    ops[instruction.line].add("a value")
    return frozenset(line for line, found in ops.items() if found <= leaves)


def _without_cleanup(instructions: List[Instruction]) -> Iterator[Instruction]:
    """All but `name = None; del name`, with which the compiler leaves `except ... as name`, on the line of what leaves it."""
    position = 0
    while position < len(instructions):
        if _is_cleanup(instructions[position : position + 3]):
            position += 3
        else:
            yield instructions[position]
            position += 1


def _is_cleanup(three: List[Instruction]) -> bool:
    if len(three) < 3 or three[0].op != "CONST" or three[0].arg is not None:
        return False
    store, delete = three[1:]
    return store.op.startswith("STORE_") and delete.op == store.op.replace("STORE", "DELETE") and store.arg == delete.arg
