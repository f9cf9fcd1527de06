"""What uses a value that several ways lead to, where the compiler repeated it on each of them: return f(a if b else c).

Such copies differ in the value that they use, and in nothing else; that value is what the ways choose among.
"""

from __future__ import annotations

from typing import Any, Dict, Hashable, List, Optional, Set, Tuple

from depyf.bytecode.canonical import ABOVE, BELOW, Block, Graph
from depyf.bytecode.codes import returns_instead_of_jumping
from depyf.bytecode.positions import places

from ..marks import offset_in
from .depths import depth_at
from .joining import (
    Split,
    blocks_in_front,
    common_end,
    join_places,
    key_from,
    key_of_instruction,
    leaving_on_one_line,
    left_clause,
    whole_blocks,
)
from .used_values import alike_at, first_use, origin, same_origin, values_at
from .ways import CANNOT_RAISE, written_handler


def join_ends_of_expressions(graph: Graph, split: Split, apart: bool) -> None:
    """Copies of what uses a value that several ways lead to: return f(a if b else c)."""
    groups: Dict[Tuple[Any, ...], List[Block]] = {}
    for block in leaving_on_one_line(graph):
        last = block.instructions[-1]
        groups.setdefault((last.line, last.op, id(block.handler), block.copy, left_clause(block)), []).append(block)
    for (line, op, *_), blocks in groups.items():
        for cluster in _clusters(blocks, line) if apart or op == "RERAISE" else [blocks]:
            _join_by_end(graph, cluster, split, ({0}, {1}))
        for cluster in _clusters(blocks, line, True) if apart and op != "RERAISE" else []:
            left = [block for block in cluster if block.terminator.op == op]
            _join_by_end(graph, left, split, ({1},))  # a clean-up that ends on such lines leaves no value


def join_raises(graph: Graph, split: Split, apart: bool) -> None:
    """Copies of a raise that follow what only chose among values: raise a from b if c else d."""
    groups: Dict[Tuple[Any, ...], List[Block]] = {}
    for block in leaving_on_one_line(graph):
        if block.terminator.op == "RAISE" and block.terminator.arg:
            end = len(block.instructions) - 1
            if values_at(block, end):
                key = (block.terminator.line, block.terminator.arg, id(block.handler), block.copy, depth_at(block, end))
                groups.setdefault(key, []).append(block)
    for (line, *_), blocks in groups.items():
        for cluster in _clusters(blocks, line) if apart else [blocks]:
            if len(cluster) > 1:
                join_places(graph, [(block, len(block.instructions) - 1) for block in cluster], split)


def _join_by_end(graph: Graph, blocks: List[Block], split: Split, counts: Tuple[Set[int], ...]) -> None:
    """Apart by their last instructions; and then all, if one of them is nothing but the end of all."""
    found: Dict[Hashable, List[Block]] = {}
    left: List[Block] = []
    if len(blocks) > 2:
        blocks = _join_behind_chains(graph, _join_uses(graph, blocks, split), split, counts)
    for block in blocks if len(blocks) > 1 else ():
        if len(block.instructions) == 1:
            left.append(block)
        else:
            found.setdefault(tuple(key_of_instruction(i) for i in block.instructions[-2:]), []).append(block)
    ends = bool(left)
    for same in found.values():
        home = join_values(graph, same, split, counts) if len(same) > 1 else None
        left += same if home is None else [home]
    if ends and len(left) > 1:
        join_values(graph, left, split, counts)


def _join_behind_chains(graph: Graph, blocks: List[Block], split: Split, counts: Tuple[Set[int], ...]) -> List[Block]:
    """Where a chain of comparisons fails, its operand is dropped before what else is a whole block, in c if not a < b < d else e;
    or before what uses the value of the chain, in (f := a < b < c) if d else e."""
    whole = {(block.depth, key_from(block, 0)): block for block in blocks}
    result = list(blocks)
    for block in blocks:
        home: Optional[Block] = None
        if _drops_operand(block):
            other = whole.get((block.depth - 1, key_from(block, 1)))
            home = join_places(graph, [(other, 0), (block, 1)], split) if other in result else None
        elif [i.op for i in block.instructions[:2]] == ["SWAP", "POP"]:
            other = _end_of_operand(block, result)
            home = join_values(graph, [block, other], split, counts) if other is not None else None
        if home is not None:
            result = [one for one in result if one is not block and one is not other] + [home]
    return result


def _end_of_operand(block: Block, among: List[Block]) -> Optional[Block]:
    """The only one of some blocks to which a chain of comparisons leads, where it goes on; it ends early in `block`."""
    reached = [s for before in block.predecessors[-1:] for s in before.successors if s is not block]
    for one in reached:
        if one not in among and len(reached) < _MOST:
            reached += [s for s in one.successors if s not in reached]
    found = [one for one in reached if one in among]
    return found[0] if len(found) == 1 and found[0] is not block else None


_MOST = 60  # blocks of an operand


def _drops_operand(block: Block) -> bool:
    """Whether a block is where chains of comparisons fail."""
    if block.instructions[0].op != "POP":
        return False
    tests = [[i.op for i in before.instructions[-3:] if i.op != "TRUTH"][-2:] for before in block.predecessors]
    return all(ops[-1] == "BRANCH" and ops[0] in ("COMPARE", "CONTAINS", "IS") for ops in tests)


def _join_uses(graph: Graph, blocks: List[Block], split: Split) -> List[Block]:
    """What uses a value from before the branches was written once: in return not a < b < (c if d else e), the last comparison.

    The ways that lead to one such use are joined there, and are one from then on; others join them later. Before that, those
    that also bring the same value: in raise a(b if (c if d else e) else f), that of `b`."""
    blocks = _join_same_uses(graph, blocks, split)
    groups: Dict[Hashable, List[Tuple[Block, int]]] = {}
    for block in blocks:
        start = first_use(block)
        key = (start, id(block)) if start is None else (depth_at(block, start), key_from(block, start), origin(block, start))
        groups.setdefault(key, []).append((block, start or 0))
    if len(groups) == 1:
        return blocks
    result: List[Block] = []
    for copies in groups.values():
        if len(copies) > 1 and all(not start or values_at(block, start) == 1 for block, start in copies):
            result.append(join_places(graph, whole_blocks(_with_format(copies)), split))
        else:
            result += [block for block, _ in copies]
    return result


def _with_format(copies: List[Tuple[Block, int]]) -> List[Tuple[Block, int]]:
    """What puts a string together uses formatted values, and what is chosen is not formatted yet: f"a{b if c else d}"."""
    blocks = [block for block, _ in copies]
    block, start = copies[0]
    if not start or block.instructions[start].op != "BUILD_STRING":
        return copies
    for length in range(common_end(blocks), len(block.instructions) - start, -1):
        if block.instructions[-length].op in ("FORMAT", "CONVERT", "CONST") and _may_begin(blocks, length, ({1},)):
            return [(one, len(one.instructions) - length) for one in blocks]
    return copies


def _join_same_uses(graph: Graph, blocks: List[Block], split: Split) -> List[Block]:
    groups: Dict[Hashable, List[Block]] = {}
    for block in blocks:
        start = first_use(block)
        key = id(block) if not start else (block.depth, key_from(block, 0), origin(block, start))
        groups.setdefault(key, []).append(block)
    return [join_places(graph, [(block, 0) for block in same], split) if len(same) > 1 else same[0] for same in groups.values()]


def join_values(graph: Graph, blocks: List[Block], split: Split, counts: Tuple[Set[int], ...]) -> Optional[Block]:
    """Joins the longest common end before which each block has one value, or none; the block that it becomes.

    Where that is the end of an except clause, what uses a value right before it may have been repeated, too."""
    length = _written_once(graph, blocks, common_end(blocks))
    while length and not _may_begin(blocks, length, counts):
        length -= 1
    starts = [len(block.instructions) - length for block in blocks]
    depths = {depth_at(block, start) for block, start in zip(blocks, starts)}
    if not (length > 1 or 0 in starts) or not length or len(depths) > 1:
        return None
    before = [] if any(starts) else blocks_in_front([(block, 0) for block in blocks])
    home = join_places(graph, list(zip(blocks, starts)), split)
    if before:
        drops = all(i.op == "POP" for block in before for i in block.instructions[:-1])  # what alternatives of a case match
        join_values(graph, before, split, ({0}, {1}) if drops else ({1},))
    return home


_EVALUATED = frozenset(("LOAD_LOCAL", "LOAD_GLOBAL", "LOAD_ATTR", "LOAD_ITEM", "CALL", "BINARY", "COMPARE", "CONTAINS", "IS", "UNARY"))


def _written_once(graph: Graph, blocks: List[Block], length: int) -> int:
    """How much of the end that some blocks have in common stands at one place of the source. Columns tell (3.11+)
    (a if b else c).d from a.d if b else c.d; before 3.10 nothing but the return itself is repeated."""
    if returns_instead_of_jumping():
        return min(length, 1)
    if graph.places is None:
        graph.places = places(graph.code)
    if not graph.places:
        return length
    for distance in range(1, length + 1):
        if blocks[0].instructions[-distance].op in _EVALUATED:
            ends = [block.instructions[-distance] for block in blocks if not _follows_in_pair(block, distance)]
            if len({graph.places.get(offset_in(end.offset)[1]) for end in ends}) > 1:
                return distance - 1
    return length


def _follows_in_pair(block: Block, distance: int) -> bool:
    """Whether the instruction so far from the end is the second that one of bytecode does, whose columns are those of the first."""
    both = block.instructions[-distance - 1 :][:2]
    return len(both) > 1 and both[0].offset == both[1].offset


def _may_begin(blocks: List[Block], length: int, counts: Tuple[Set[int], ...]) -> bool:
    """Whether what was repeated may begin `length` instructions before the end."""
    if _cuts_exit(blocks[0], length) or any(_cuts_method(block, length) for block in blocks):
        return False
    return alike_at(blocks, length, counts) and same_origin(blocks, length)


def _cuts_method(block: Block, length: int) -> bool:
    """Whether a function and the place beside it for an object were loaded as one: nobody chose among such functions."""
    start = len(block.instructions) - length
    first = block.instructions[start]
    return start > 0 and first.op == "NULL" and first.offset == block.instructions[start - 1].offset


def _cuts_exit(block: Block, length: int) -> bool:
    """Whether the last `length` instructions of a block begin among the arguments of leaving a manager: nobody chose among those."""
    start = len(block.instructions) - length
    around = block.instructions[max(start - 1, 0) : start + 3]
    if not start or not length or (around[0].op, around[0].arg) != ("CONST", None):
        return False
    call = next((n for n, i in enumerate(around) if (i.op, i.arg) != ("CONST", None)), 0)
    before = block.instructions[max(start - 4 + call, 0) : start - 1 + call]
    if around[call].op != "CALL" or [(i.op, i.arg) for i in before] != [("CONST", None)] * 3:
        return False
    return around[call].arg in ((3, ABOVE), (2, BELOW))


def _clusters(blocks: List[Block], line: int, below: bool = False) -> List[List[Block]]:
    """Blocks that branches on `line` lead to, or on lines `below` it, by the block in which that line begins."""
    if len(blocks) < 2:
        return []
    found: Dict[Block, List[Block]] = {}
    for block in blocks:
        first, seen = block, {block}
        # the value was found in an except clause, or in a try body that the return leaves, under that handler
        leaves = block.instructions[0].op == "POP_EXCEPT" or all(i.op in CANNOT_RAISE for i in block.instructions)
        handler = written_handler(block.predecessors[0] if leaves and block.predecessors else block)
        while first.predecessors:
            before = first.predecessors[0]
            branched = before.terminator.line
            if branched is None or branched < line or branched > line and not below:
                break
            if before in seen or written_handler(before) is not handler:
                break
            seen.add(before)
            first = before
        found.setdefault(first, []).append(block)
    return [cluster for cluster in found.values() if len(cluster) > 1]
