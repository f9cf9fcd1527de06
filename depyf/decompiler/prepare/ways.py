"""Straight ways through a graph: the compiler repeats a short end of one instead of jumping to it."""

from __future__ import annotations

from typing import Callable, Optional, Set, Tuple

from depyf.bytecode.canonical import Block, Handler, Instruction

Place = Tuple[Block, int]  # an instruction of a block

_JUMPS = ("JUMP", "FALL")
_LONGEST = 40  # the compiler repeats only what is short
CANNOT_RAISE = frozenset(
    ("JUMP", "FALL", "BRANCH", "IS", "POP", "CONST", "COPY", "SWAP", "STORE_LOCAL", "NULL", "NEXT_DONE", "RETURN")
)


def past_jumps(place: Place) -> Place:
    """The first instruction from here on that does something."""
    block, position = place
    passed: Set[Block] = set()
    while block.instructions[position].op in _JUMPS and block not in passed:
        passed.add(block)
        block, position = block.successors[0], 0
    return block, position


def returns_what_is_there(place: Place) -> bool:
    """Whether a straight way ends in the return of a value that was on the stack before."""
    before = None
    block, position = place
    for _ in range(_LONGEST):
        if block.instructions[position].op in _JUMPS:
            block, position = past_jumps((block, position))
        op = block.instructions[position].op
        if op == "RETURN":
            return before != "CONST"
        position += 1
        if position == len(block.instructions):
            return False
        before = op
    return False


def is_copy(one: Instruction, other: Instruction) -> bool:
    """What has no line was written by nobody: a copy of it may have got the line of what stands before."""
    if one.line != other.line and one.line is not None and other.line is not None:
        return False
    return (one.op, repr(one.arg)) == (other.op, repr(other.arg))


def do_the_same(one: Instruction, other: Instruction) -> bool:
    return (one.op, repr(one.arg)) == (other.op, repr(other.arg))


def lead_alike(one: Place, other: Place, are_alike: Callable[[Instruction, Instruction], bool] = do_the_same) -> bool:
    """Whether two places lead to the same: on straight ways that are copies of one another until they end or meet."""
    for _ in range(_LONGEST):
        one, other = past_jumps(one), past_jumps(other)
        if one == other:
            return True
        first, second = one[0].instructions[one[1]], other[0].instructions[other[1]]
        if not are_alike(first, second) or first.op not in CANNOT_RAISE and one[0].handler is not other[0].handler:
            return False
        if first is one[0].terminator or second is other[0].terminator:
            return not one[0].successors and not other[0].successors
        one, other = (one[0], one[1] + 1), (other[0], other[1] + 1)
    return False


_RESTORES = frozenset(("SWAP", "POP", "STORE_LOCAL", "STORE_NAME"))


def jump_from(block: Block, position: int, home: Block) -> None:
    """Instead of what stands in a block from `position` on, control goes to `home`: there it stands, too."""
    first = block.instructions[position]
    for target in dict.fromkeys(block.successors):
        target.predecessors = [p for p in target.predecessors if p is not block]
    block.instructions = [*block.instructions[:position], Instruction("JUMP", None, first.offset, first.line)]
    block.successors = (home,)
    home.predecessors.append(block)


def is_restore(block: Block) -> bool:
    """Gives a comprehension's variables back their outer values, and goes on raising."""
    instructions = block.instructions
    if instructions[-1].op != "RERAISE":
        return False
    return len(instructions) > 1 and all(i.op in _RESTORES for i in instructions[:-1])


def written_handler(block: Block) -> Optional[Handler]:
    """The handler around a block, past those of inlined comprehensions and of `async for`."""
    handler = block.handler
    while handler is not None and (is_restore(handler.target) or handler.target.terminator.op == "END_ASYNC_FOR"):
        handler = handler.target.handler
    return handler
