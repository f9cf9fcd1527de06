"""A chain of comparisons that fails drops its middle operand and goes where the rest of the chain goes: to one place.

Where that place is short, or the copy of a `finally` body, the compiler repeats it behind the drop; it is one place again.
"""

from __future__ import annotations

from typing import Iterator, List

from depyf.bytecode.canonical import Block, Graph

from .joining import Split, join_places
from .ways import is_copy, lead_alike, past_jumps

_COMPARES = frozenset(("COMPARE", "CONTAINS", "IS"))


def join_chain_ends(graph: Graph) -> None:
    for block in reversed(graph.blocks):
        if not _only_drops(block):
            continue
        end = past_jumps((block.successors[0], 0))[0]
        others = [other for ends in _ends_of_chain(block) for other in ends if other is not end]
        _join(end, [other for other in others if (other.handler, other.depth) == (end.handler, end.depth)])


def join_returned_chains(graph: Graph, split: Split) -> None:
    """return a < b < c over several lines: up to 3.9 the return behind the last comparison has the line of that, and the one
    that both ways lead to has the line of the statement."""
    for block in list(graph.blocks):
        instructions = block.instructions
        if instructions[-1].op != "RETURN" or len(instructions) < 2 or instructions[-2].op not in _COMPARES:
            continue
        before = block.predecessors[0] if len(block.predecessors) == 1 else block
        for failed in before.successors if before.terminator.op == "BRANCH" else ():
            if [i.op for i in failed.instructions[:2]] == ["SWAP", "POP"] and failed.depth == block.depth:
                place = past_jumps((failed, 2))
                if [i.op for i in place[0].instructions[place[1] :]] == ["RETURN"]:
                    join_places(graph, [(block, len(block.instructions) - 1), place], split)
                    break


def _join(end: Block, others: List[Block]) -> None:
    """What leads to `end` leads to the first of the others that is the same."""
    other = next((one for one in others if lead_alike((end, 0), (one, 0), is_copy)), None)
    if other is not None:
        for source in set(end.predecessors):
            source.successors = tuple(other if s is end else s for s in source.successors)
            other.predecessors.append(source)
        end.predecessors = []


def _ends_of_chain(block: Block) -> Iterator[List[Block]]:
    """Where the blocks lead that go on with the operand which `block` drops; first that of a test with the same outcome."""
    for before in block.predecessors[:_LONGEST]:
        if before.terminator.op == "BRANCH":
            one, other = before.successors
            rest = other if one is block else one
            if rest is not block and rest.depth == block.depth:
                yield _behind_operand(rest, block, 1 if one is block else -1)


def _behind_operand(rest: Block, block: Block, order: int) -> List[Block]:
    """The places behind `rest` at which what is on the stack where `block` begins has been used; between may be choices."""
    ends = [past_jumps((target, 0))[0] for target in rest.successors[::order]]
    work, seen = ends[:], {block, rest}
    while work and len(seen) < _MOST:
        end = work.pop(0)
        if end.depth < block.depth:
            ends.append(end)
        elif end not in seen:
            seen.add(end)
            work += [past_jumps((target, 0))[0] for target in end.successors[::order]]
    return ends


_LONGEST = 20  # comparisons in a chain
_MOST = 60  # blocks of an operand


def _only_drops(block: Block) -> bool:
    instructions = block.instructions
    if instructions[-1].op not in ("FALL", "JUMP") or len(instructions) not in (2, 3):
        return False
    return [i.op for i in instructions[:-1]] in (["POP"], ["SWAP", "POP"])
