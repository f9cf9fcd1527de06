"""Reverse postorder, immediate dominators, loop headers and back edges of a graph.

Edges are the normal ones and those to handlers. Everything is iterative and indexed by `block.index`, so the graph
must be numbered, and predecessors be known, as `graph_of` leaves it. Where all loops are reducible, one round over the
forward edges tells all, and nearest common dominators are found by jump pointers; else the algorithm is Cooper, Harvey
and Kennedy's.
"""

from __future__ import annotations

from array import array
from typing import Dict, List, MutableSequence, Optional, Sequence, Tuple

from depyf.bytecode.canonical import Block, Graph


class Dominators:
    """What `dominators` found out. Lists are indexed by `block.index`.

    `order` is the reverse postorder, `number` a block's place in it. `edges` are all successors, the handler's last;
    `sources` all predecessors: the block's own list, where no handler begins. Numbers are in arrays, since as objects they would
    take more memory than all the rest. A back edge goes to a block that dominates its source; an edge that goes back in the
    order without that is `irreducible`.
    """

    __slots__ = (
        "order",
        "number",
        "edges",
        "sources",
        "immediate",
        "back_edges",
        "headers",
        "irreducible",
        "_enter",
        "_leave",
    )

    def __init__(self, size: int) -> None:
        self.order: List[Block] = []
        self.number: MutableSequence[int] = array("i", [0]) * size
        self.edges: List[Sequence[Block]] = []
        self.sources: List[List[Block]] = []
        self.immediate: List[Optional[Block]] = [None] * size
        self.back_edges: List[Tuple[Block, Block]] = []
        self.headers: Dict[Block, List[Block]] = {}  # loop header -> sources of its back edges
        self.irreducible: List[Tuple[Block, Block]] = []
        self._enter = array("i", [0]) * size
        self._leave = array("i", [0]) * size

    def dominates(self, above: Block, below: Block) -> bool:
        """Whether every way from the entry to `below` passes `above`; a block dominates itself."""
        return self._enter[above.index] <= self._enter[below.index] <= self._leave[above.index]

    def is_header(self, block: Block) -> bool:
        return block in self.headers

    @property
    def backward(self) -> List[Tuple[Block, Block]]:
        """All edges that do not lead on in the order."""
        return self.back_edges + self.irreducible


def dominators(graph: Graph) -> Dominators:
    """Analyse a graph; all but linear on code that a compiler made."""
    blocks = graph.blocks
    result = Dominators(len(blocks))
    if len(blocks) == 1 and not blocks[0].successors and blocks[0].handler is None:
        result.order, result.edges, result.sources = [blocks[0]], [[]], [[]]  # all there is to say about straight lines
        return result
    result.sources = [block.predecessors for block in blocks]
    for block in blocks:
        targets: Sequence[Block] = block.successors  # as they are, where nothing is to be added: long functions need much memory
        if len(targets) > 1 and len(set(targets)) < len(targets):
            targets = tuple(dict.fromkeys(targets))
        if block.handler is not None and block.handler.target not in targets:
            caught = block.handler.target
            targets = (*targets, caught)
            if result.sources[caught.index] is caught.predecessors:
                result.sources[caught.index] = list(caught.predecessors)
            result.sources[caught.index].append(block)
        result.edges.append(targets)
    _number(result, blocks[0])
    _set_immediate(result, _from_forward_edges(result))
    if result.irreducible:
        _set_immediate(result, _fixed_point(result))
    return result


def _set_immediate(result: Dominators, above: List[int]) -> None:
    """Immediate dominators by place in the order, and all that follows from them."""
    order = result.order
    for position in range(1, len(order)):
        result.immediate[order[position].index] = order[above[position]]
    _number_tree(result, above)
    _find_loops(result)


def _number(result: Dominators, entry: Block) -> None:
    """Depth-first walk; the last finished block comes first. The first successor is visited last, so it comes early."""
    finished: List[Block] = []
    seen = [False] * len(result.edges)
    seen[entry.index] = True
    stack = [(entry, iter(result.edges[entry.index][::-1]))]
    while stack:
        block, targets = stack[-1]
        for target in targets:
            if not seen[target.index]:
                seen[target.index] = True
                stack.append((target, iter(result.edges[target.index][::-1])))
                break
        else:
            finished.append(block)
            stack.pop()
    result.order = finished[::-1]
    for position, block in enumerate(result.order):
        result.number[block.index] = position


def _from_forward_edges(result: Dominators) -> List[int]:
    """Exact if each edge back goes to a dominator of its source: leaving it out closes no way."""
    number, sources = result.number, result.sources
    size = len(result.order)
    above, depth, jump = [0] * size, [0] * size, [0] * size
    for position in range(1, size):
        forward = [number[source.index] for source in sources[result.order[position].index]]
        new = -1
        for one in forward:
            if one >= position:
                continue
            other, new = new, one
            if other < 0:
                continue
            # the nearest common dominator of both: first to one depth, then up together
            if depth[new] < depth[other]:
                new, other = other, new
            while depth[new] > depth[other]:
                new = jump[new] if depth[jump[new]] >= depth[other] else above[new]
            while new != other:
                table = jump if jump[new] != jump[other] else above
                new, other = table[new], table[other]
        above[position], depth[position] = new, depth[new] + 1
        # over as many levels as the two jumps before, if those are of one length: any level is few jumps away
        far = jump[new]
        jump[position] = jump[far] if depth[new] - depth[far] == depth[far] - depth[jump[far]] else new
    return above


def _fixed_point(result: Dominators) -> List[int]:
    number = result.number
    # The last sources first: then the common dominator of those seen moves up step by step, and where a thousand branches
    # meet, as after a long chain of elif, no branch climbs the whole chain again.
    sources = [
        sorted((number[source.index] for source in result.sources[block.index]), reverse=True) for block in result.order
    ]
    above = [-1] * len(result.order)
    above[0] = 0
    changed = True
    while changed:
        changed = False
        for position in range(1, len(above)):
            new = -1
            for source in sources[position]:
                if above[source] < 0:
                    continue
                if new < 0:
                    new = source
                    continue
                while new != source:
                    if new > source:
                        new = above[new]
                    else:
                        source = above[source]
            if above[position] != new:
                above[position] = new
                changed = True
    return above


def _number_tree(result: Dominators, above: List[int]) -> None:
    """For each block the first and the last number of what it dominates, as a walk down the dominator tree would count: parents come
    first in the order, so the sizes of the trees tell where each begins."""
    order, enter, leave = result.order, result._enter, result._leave
    sizes = [1] * len(order)
    for position in range(len(order) - 1, 0, -1):
        sizes[above[position]] += sizes[position]
    free = [1] * len(order)  # the next number inside of each
    enter[order[0].index], leave[order[0].index] = 0, sizes[0] - 1
    for position in range(1, len(order)):
        parent, index = above[position], order[position].index
        first = free[parent]
        free[parent] += sizes[position]
        free[position] = first + 1
        enter[index], leave[index] = first, first + sizes[position] - 1


def _find_loops(result: Dominators) -> None:
    number = result.number
    result.back_edges, result.headers, result.irreducible = [], {}, []
    for position, block in enumerate(result.order):
        for target in result.edges[block.index]:
            if number[target.index] > position:
                continue
            if result.dominates(target, block):
                result.back_edges.append((block, target))
                result.headers.setdefault(target, []).append(block)
            else:
                result.irreducible.append((block, target))
