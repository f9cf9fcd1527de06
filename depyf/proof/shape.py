"""The short ways: code objects of the same bytes, or graphs that are the same instruction by instruction, need no walk.

Only what is literally the same counts; anything else is left to `walk`.
"""

from __future__ import annotations

from types import CodeType
from typing import List, Optional, Tuple

from depyf.bytecode.canonical import Block, Graph
from depyf.proof.values import constant_key

CodePair = Tuple[CodeType, CodeType]


_TABLES = ("co_code", "co_names", "co_varnames", "co_cellvars", "co_freevars", "co_exceptiontable")


def same_bytes(graph: Graph, second: CodeType) -> Optional[List[CodePair]]:
    """The same of two code objects that differ at most in lines and layout: as `same_graphs`, without a second graph.

    Nested code that no instruction loads was left behind by what the compiler dropped, and does not matter."""
    first = graph.code
    if any(getattr(first, table, None) != getattr(second, table, None) for table in _TABLES):
        return None
    if len(first.co_consts) != len(second.co_consts):
        return None
    codes: List[CodePair] = []
    for one, two in zip(first.co_consts, second.co_consts):
        if isinstance(one, CodeType) and isinstance(two, CodeType):
            codes.append((one, two))
        elif one is not two and constant_key(one) != constant_key(two):
            return None
    if codes:
        loaded = {id(i.arg) for block in graph.blocks for i in block.instructions if isinstance(i.arg, CodeType)}
        codes = [(one, two) for one, two in codes if id(one) in loaded]
    return codes


def same_graphs(first: Graph, second: Graph) -> Optional[List[CodePair]]:
    """The pairs of nested code objects that must be equal for the graphs to be; None if the graphs differ."""
    if len(first.blocks) != len(second.blocks):
        return None
    codes: List[CodePair] = []
    for block, other in zip(first.blocks, second.blocks):
        if not _same_edges(block, other) or not _same_instructions(block, other, codes):
            return None
    return codes


def _same_edges(block: Block, other: Block) -> bool:
    if len(block.instructions) != len(other.instructions) or len(block.successors) != len(other.successors):
        return False
    for successor, counterpart in zip(block.successors, other.successors):
        if successor.index != counterpart.index:
            return False
    one, two = block.handler, other.handler
    if one is None or two is None:
        return one is two
    return one.target.index == two.target.index and one.depth == two.depth and one.lasti == two.lasti


def _same_instructions(block: Block, other: Block, codes: List[CodePair]) -> bool:
    for place, (instruction, counterpart) in enumerate(zip(block.instructions, other.instructions)):
        op = instruction.op
        if op != counterpart.op:
            return False
        one, two = instruction.arg, counterpart.arg
        if one is two:
            continue
        if op == "CONST":
            if isinstance(one, CodeType) and isinstance(two, CodeType):
                codes.append((one, two))
            elif constant_key(one) != constant_key(two) and not _line_number(block, place, one, two):
                return False
        elif op != "BRANCH" and one != two:  # which way of a branch is the jump does not matter
            return False
    return True


def _line_number(block: Block, place: int, one: object, two: object) -> bool:
    """Since 3.13 a class body keeps the line it starts at."""
    after = block.instructions[place + 1]
    stores = after.op in ("STORE_NAME", "STORE_GLOBAL", "STORE_CELL")
    return type(one) is type(two) is int and stores and after.arg == "__firstlineno__"
