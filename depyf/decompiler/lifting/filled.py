"""Which loops fill the display that lies below their iterator: comprehensions do, while the copy of a `finally` may loop below a
display that a `return` has already made."""

from __future__ import annotations

from depyf.bytecode.canonical import Block

from ..prepare.depths import effect
from ..tree import Expr
from .values import Iterator

_ADDS = frozenset(("LIST_APPEND", "SET_ADD", "MAP_ADD"))
COMPREHENSIONS = frozenset(("<listcomp>", "<setcomp>", "<dictcomp>"))


def may_be_filled(code_name: str, below: Expr, iterator: Iterator, header: Block, slot: int) -> bool:
    """Whether the loop of `header` may be a comprehension that makes what lies below its iterator, in a slot of the stack: it adds to it.
    Where the compiler has left that out, as of what never happens, a comprehension's own code tells, or that what it goes through
    was there first, as where it stands in the code around it."""
    passed = iterator.value
    return code_name in COMPREHENSIONS or passed is None or below.offset > passed.offset or _adds_to(header, slot)


def _adds_to(header: Block, slot: int) -> bool:
    work, seen = [header.successors[0]], {header}
    while work:
        block = work.pop()
        if block in seen or block.depth < header.depth:
            continue  # behind the loop
        seen.add(block)
        depth = block.depth
        for instruction in block.instructions:
            needed, pushed = effect(instruction)
            if instruction.op in _ADDS and depth - needed == slot:
                return True
            depth += pushed - needed
        work += block.successors
    return False
