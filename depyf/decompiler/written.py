"""What line numbers tell about how code was written: a jump or a bare return that has a line of its own.

`continue` and `return` leave no trace in the bytecode but their line; code that falls to the same place shares the
line of something else. Code that was generated has lines that say nothing, and then nothing is concluded.
"""

from __future__ import annotations

from typing import Dict, FrozenSet, List, Set

from depyf.bytecode.canonical import Block

_LEAVES = frozenset(("JUMP", "FALL", "POP", "POP_EXCEPT", "SWAP", "CONST", "RETURN", "NULL"))


def lines_of_jumps(blocks: List[Block]) -> FrozenSet[int]:
    """The lines on which nothing stands but leaving: by a jump or by returning None."""
    ops: Dict[int, Set[str]] = {}
    for block in blocks:
        for instruction in block.instructions:
            if instruction.line is not None and instruction.op != "FALL":
                ops.setdefault(instruction.line, set()).add(instruction.op)
                if instruction.op == "CONST" and instruction.arg is not None:
                    ops[instruction.line].add("a value")
    return frozenset(line for line, found in ops.items() if found <= _LEAVES)
