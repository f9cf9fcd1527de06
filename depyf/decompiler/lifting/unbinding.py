"""NULL stored in a local: the local is unbound from then on. No source compiles to it; PyTorch's compiler writes it where it
cuts a comprehension out of a function, to give back a variable that was not bound before.
"""

from __future__ import annotations

from typing import Iterator, List, Sequence, Set

from depyf.bytecode.canonical import Block, Instruction

from ..tree import Assign, Const, Delete, Name
from .lift import Lifter

_READS = frozenset(("LOAD_LOCAL", "LOAD_CLEAR", "DELETE_LOCAL", "MAKE_CELL", "LOAD_CELL", "LOAD_CLOSURE", "DELETE_CELL"))


def unbind(lifter: Lifter, instruction: Instruction) -> None:
    """Nothing, where nobody can tell; otherwise the variable is bound, so that it can be deleted whether it was or not."""
    name = instruction.arg
    lifter.stored(name)
    if _never_bound(lifter, name) or not _read_later(lifter, name):
        return
    lifter.emit(Assign([Name(name)], Const(None), instruction.offset))
    lifter.emit(Delete([Name(name, instruction.offset)], instruction.offset))


def _never_bound(lifter: Lifter, name: str) -> bool:
    """Whether this is the beginning of the code, where only parameters are bound."""
    block = lifter.block
    assert block is not None
    before = block.instructions[: lifter.position]
    return block.index == 0 and not block.predecessors and name not in lifter.parameters and not _ops_on(name, before)


def _read_later(lifter: Lifter, name: str) -> bool:
    """Whether a way leads from here to something that finds the variable unbound."""
    assert lifter.block is not None
    work = [(lifter.block, lifter.position + 1)]
    seen: Set[Block] = set()
    while work:
        block, position = work.pop()
        ops = _ops_on(name, block.instructions[position:])
        if ops and ops[0] in _READS:
            return True
        reached = list(_handlers(block)) if ops else [*block.successors, *_handlers(block)]
        work.extend((following, 0) for following in reached if following not in seen)
        seen.update(reached)
    return False


def _handlers(block: Block) -> Iterator[Block]:
    if block.handler is not None:
        yield block.handler.target


def _ops_on(name: str, instructions: Sequence[Instruction]) -> List[str]:
    return [i.op for i in instructions if i.arg == name and (i.op in _READS or i.op == "STORE_LOCAL")]
