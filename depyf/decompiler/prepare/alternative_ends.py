"""Ends that the compiler repeated behind the alternatives of one case, inside of a `finally` that does nothing: `case [a | b]: return`.

There the ends have the line of the `finally`, as those of all its copies have. What tells is what stands before each: a test
on the line of the case, and on the same line the drop of what was tested.
"""

from __future__ import annotations

from typing import Dict, Hashable, List, Optional

from depyf.bytecode.canonical import Block, Graph

from .joining import Split, join_places, key_of_instruction

_HOLDS_PATTERNS = frozenset(("MATCH_SEQUENCE", "MATCH_MAPPING", "MATCH_CLASS"))


def join_ends_of_alternatives(graph: Graph, split: Split) -> None:
    groups: Dict[Hashable, List[Block]] = {}
    known: Dict[Block, Block] = {}
    for block in graph.blocks if graph.handlers and not graph.ops.isdisjoint(_HOLDS_PATTERNS) else ():
        dropping = _drops_before(block) if block.terminator.op == "RETURN" else None
        if dropping is not None:
            drops = _count_drops(dropping)
            end = block.instructions if dropping is not block else block.instructions[drops:]
            first = _first_on_line(dropping, known)  # each copy of a `finally` has its own
            key = (id(dropping.handler), id(block.handler), block.copy, first, dropping.instructions[0].line, dropping.depth - drops)
            groups.setdefault((*key, *[key_of_instruction(i) for i in end]), []).append(dropping)
    for blocks in groups.values():
        if len(blocks) > 1:
            behind = [(dropping.successors[0], 0) for dropping in blocks if dropping.successors]
            if behind:
                join_places(graph, behind, split)
            _join_drops(graph, blocks, split)


def _join_drops(graph: Graph, blocks: List[Block], split: Split) -> None:
    """Those that drop the most first: alternatives inside of an alternative."""
    drops = {block: _count_drops(block) for block in blocks}
    joined: Optional[Block] = None
    for count in sorted(set(drops.values()), reverse=True):
        places = [(block, 0) for block in blocks if drops[block] == count]
        if joined is not None:
            places.append((joined, _count_drops(joined) - count))
        joined = join_places(graph, places, split) if len(places) > 1 else places[0][0]


def _drops_before(block: Block) -> Optional[Block]:
    """The block behind tests on its own line that drops something there, and then leads to nothing but the end of `block`."""
    if _count_drops(block) and _tested_before(block):
        return block
    before = block.predecessors[0] if len(block.predecessors) == 1 else block
    if before.terminator.op != "FALL" or not 0 < _count_drops(before) == len(before.instructions) - 1 or not _tested_before(before):
        return None
    return before


def _count_drops(block: Block) -> int:
    """How many instructions at the beginning of a block drop something, on one line."""
    count, line = 0, block.instructions[0].line
    while block.instructions[count].op == "POP" and block.instructions[count].line == line is not None:
        count += 1
    return count


def _first_on_line(block: Block, known: Dict[Block, Block]) -> Block:
    """Where the tests begin that stand before a block on its line. `known` are those of other blocks."""
    line, passed = block.instructions[0].line, []
    while block not in known:
        known[block] = block
        passed.append(block)
        if block.predecessors and block.predecessors[0].terminator.line == line:
            block = block.predecessors[0]
    first = known[block]
    known.update(dict.fromkeys(passed, first))
    return first


def _tested_before(block: Block) -> bool:
    line = block.instructions[0].line
    return bool(block.predecessors) and all(before.terminator.line == line for before in block.predecessors)
