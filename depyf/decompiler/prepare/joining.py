"""What all that joins copies of a place has in common: when two places are the same, and how they become one."""

from __future__ import annotations

from typing import Any, Callable, Dict, Hashable, List, Optional, Tuple

from depyf.bytecode.canonical import Block, Graph, Instruction

from .iteration import names_given_back
from .ways import jump_from, written_handler

Split = Callable[[Graph, Block, int], Block]
LONGEST_COPY = 6  # the compiler copies only what is short
_LEAVE = frozenset(("RETURN", "RAISE", "RERAISE"))


def leaving_on_one_line(graph: Graph) -> List[Block]:
    """The blocks that leave on a line on which another does: only these can be copies of one another."""
    leaving = [block for block in graph.blocks if block.instructions[-1].op in _LEAVE]
    by_line: Dict[Optional[int], int] = {}
    for block in leaving:
        line = block.instructions[-1].line
        by_line[line] = by_line.get(line, 0) + 1
    by_line.pop(None, None)
    if len(leaving) == len(by_line):
        return []
    return [block for block in leaving if by_line.get(block.instructions[-1].line, 0) > 1]


def key_from(block: Block, start: int) -> Hashable:
    """What a block does from there on, and where: copies have the same."""
    return (
        id(block.handler),
        block.copy,
        tuple([key_of_instruction(i) for i in block.instructions[start:]]),
    )


def key_of_instruction(instruction: Instruction) -> Hashable:
    """3.10 gives what adds a keyword to many of them the line of the value, which may be chosen from several lines."""
    line = None if instruction.op == "MAP_ADD" else instruction.line
    return instruction.op, line, _key_of(instruction.arg)


def _key_of(argument: Any) -> Hashable:
    return type(argument), repr(argument)


def left_clause(block: Block) -> int:
    """Tells apart the clauses that blocks begin by leaving, each of its own try."""
    leaves = block.instructions[0].op == "POP_EXCEPT" and bool(block.predecessors)
    return id(written_handler(block.predecessors[0])) if leaves else 0


def count_leaving(block: Block) -> int:
    """How many instructions at the beginning of a block leave a clause, and delete its name."""
    if block.instructions[0].op != "POP_EXCEPT":
        return names_given_back(block)
    deletes = [i.op.partition("_")[0] for i in block.instructions[1:4]] == ["CONST", "STORE", "DELETE"]
    return 4 if deletes else 1


def common_end(blocks: List[Block]) -> int:
    """How many instructions, line by line the same, all blocks end in."""
    length = 0
    apart = len({left_clause(block) for block in blocks}) > 1
    longest = min(len(block.instructions) - (count_leaving(block) if apart else names_given_back(block)) for block in blocks)
    while length < longest:  # 3.10 copies a call with many keywords, too
        if len({key_of_instruction(block.instructions[-1 - length]) for block in blocks}) > 1:
            break
        length += 1
    return length


def blocks_in_front(copies: List[Tuple[Block, int]]) -> List[Block]:
    """Where a try begins in the middle of what was repeated, the blocks in front of it end in copies, too."""
    before = [block.predecessors[0] for block, start in copies if not start and len(block.predecessors) == 1]
    if len(set(before)) < len(copies) or len({(id(block.handler), block.copy) for block in before}) > 1:
        return []
    return before if all(block.terminator.op == "FALL" for block in before) else []


def whole_blocks(copies: List[Tuple[Block, int]]) -> List[Tuple[Block, int]]:
    """Copies of a block of which the return is only the end: all of it is shared."""
    keys = {(block.depth, key_from(block, 0), left_clause(block)) for block, _ in copies}
    return [(block, 0) for block, _ in copies] if len(keys) == 1 and not names_given_back(copies[0][0]) else copies


def join_places(graph: Graph, copies: List[Tuple[Block, int]], split: Split) -> Block:
    last, start = max(copies, key=lambda copy: copy[0].terminator.offset)
    home = split(graph, last, start) if start else last
    for block, start in copies:
        if block is not last:
            jump_from(block, start, home)
    return home
