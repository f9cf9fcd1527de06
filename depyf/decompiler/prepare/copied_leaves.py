"""Ways out of except clauses that the compiler repeated, with the last statement of the clause or without: each is one again."""

from __future__ import annotations

from typing import Dict, Hashable, List, Set, Tuple

from depyf.bytecode.canonical import Block, Graph

from .depths import depth_at
from .joining import LONGEST_COPY, Split, join_places, key_from
from .ways import is_copy, lead_alike, returns_what_is_there


def join_copied_leaves(graph: Graph, leaves: Set[Block]) -> None:
    """A clause that is left on one line, and goes on in the same way, is left once: `while a < b < c` has two exits."""
    kept: Dict[Hashable, List[Block]] = {}
    for block in graph.blocks:
        line = block.instructions[0].line
        if block not in leaves or line is None or not block.predecessors or returns_what_is_there((block, 0)):
            continue
        others = kept.setdefault((id(block.handler), block.depth, block.copy, line), [])
        same = next((one for one in others if lead_alike((one, 0), (block, 0), is_copy)), None)
        if same is None:
            others.append(block)
            continue
        for source in block.predecessors:
            source.successors = tuple(same if s is block else s for s in source.successors)
            same.predecessors.append(source)
        block.predecessors = []


def join_behind_managers(graph: Graph, leaves: Set[Block], split: Split) -> None:
    """The last statement of a clause, repeated behind a `with` that ends and behind the same that swallowed an exception."""
    behind: Dict[Hashable, List[Tuple[Block, int]]] = {}
    for block in graph.blocks:
        ends = len(block.successors) == 1 and (block in leaves or block.successors[0] in leaves)
        start = _last_statement(block, 2 if block in leaves else 1) if ends and block.predecessors else 0
        if start:
            behind.setdefault((depth_at(block, start), key_from(block, start)), []).append((block, start))
    for copies in behind.values():
        block, start = copies[-1]
        swallowed = block.predecessors[0] in leaves and all(i.op == "POP" for i in block.instructions[:start])
        if len(copies) == 2 and swallowed and lead_alike(copies[0], copies[1], is_copy):
            join_places(graph, copies, split)
            leaves.discard(copies[0][0])


def _last_statement(block: Block, left: int) -> int:
    """Where the statement begins behind which a clause is left, on the same line, by what is `left` in the block or follows it;
    0: it is the first, or there is none."""
    end = start = len(block.instructions) - left
    while start and block.instructions[start - 1].line == block.instructions[end].line:
        start -= 1
    if not start < end <= start + LONGEST_COPY:
        return 0
    depths = [depth_at(block, position) for position in range(start, end + 1)]
    return start if depths[0] == depths[-1] == min(depths) else 0
