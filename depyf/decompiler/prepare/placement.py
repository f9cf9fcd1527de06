"""Where each block's code will stand in the tree: in place of the only jump to it, or labelled, after another block.

A block stands below its nearest dominator in the same context (the same try body or handler). Code behind a loop
stands behind the loop even if only a jump from inside reaches it: it is laid out behind it in the bytecode too.
"""

from __future__ import annotations

import heapq
import sys
from typing import AbstractSet, Collection, Dict, FrozenSet, List, NamedTuple, Optional, Set, Tuple

from depyf.bytecode.canonical import Block, Graph
from depyf.bytecode.codes import is_function
from depyf.bytecode.dominators import Dominators, dominators

from .cleanups import blocks_of_copy, left_cleanup
from .contexts import Context
from .depths import lowest_depth
from .regions import Regions

_PASSES = frozenset(("POP", "SWAP", "JUMP", "FALL"))


class Placement:
    """`inside[x]` and `after[x]`: labelled blocks that follow x, within its loop (if it is a header) and behind it.

    `inline` tells which blocks take the place of the only jump to them, by `block.index`; `broken_to` are those that a `break` led to
    before the compiler put them in its place. Lists are in reverse postorder."""

    __slots__ = (
        "dominators", "inside", "after", "inline", "headers", "home", "bodies", "last_lines", "exit_lines", "broken_to", "outside",
        "returns", "steps", "elsewhere",
    )  # fmt: skip

    def __init__(self, found: Dominators, returns: bool) -> None:
        self.dominators = found
        self.returns = returns  # whether the code can; if not, its end stands behind everything
        self.inside: Dict[Block, List[Block]] = {}
        self.after: Dict[Block, List[Block]] = {}
        self.inline = bytearray(len(found.edges))
        self.headers: Set[Block] = set(found.headers)
        self.home: Dict[Block, Optional[Block]] = {}  # the header of the loop a block stands in
        self.bodies: Dict[Block, Set[Block]] = {}  # header -> blocks of its natural loop
        self.last_lines: Dict[Block, int] = {}  # header -> the last line of its natural loop
        self.exit_lines: Dict[Block, _ExitLines] = {}
        self.broken_to: Set[Block] = set()
        # by `block.index`: the nearest dominator in another context or loop, and the innermost `for` that never repeats around a block
        self.outside: List[Optional[Block]] = [None] * len(found.edges)
        self.steps: List[Optional[Block]] = [None] * len(found.edges)
        self.elsewhere: List[Move] = []  # where blocks might stand instead

    def forget_loops(self) -> None:
        """All blocks are placed: what is known of the loops, and which edges there are, takes much memory and is asked for no more."""
        self.home, self.bodies, self.last_lines, self.exit_lines = {}, {}, {}, {}
        self.outside, self.steps = [], []
        self.dominators.edges, self.dominators.sources = [], []


class Move(NamedTuple):
    """A block, by its offset, stands in another loop than layout and lines say: so many around that of what it follows."""

    offset: int
    loops: int


INSIDE = Move(-1, 0)  # all blocks stand in the loop of what they follow, however they are laid out


def place(graph: Graph, regions: Regions, moves: FrozenSet[Move] = frozenset()) -> Placement:
    """`moves`: which blocks stand elsewhere than it looks."""
    found = dominators(graph)
    placement = Placement(found, is_function(graph.code))
    if not found.headers and not graph.handlers and "NEXT" not in graph.ops:
        _place_branches(placement, regions)
    else:
        _place_among_loops(placement, regions, moves)
    several = [blocks for table in (placement.inside, placement.after) for blocks in table.values() if len(blocks) > 1]
    if several:
        layout = _layout_order(found)
        for blocks in several:
            blocks.sort(key=lambda b: layout[b.index])
    placement.forget_loops()
    return placement


def _place_branches(placement: Placement, regions: Regions) -> None:
    """Code without loops and handlers, as most is: all of it stands in one context."""
    order = placement.dominators.order
    placement.home = dict.fromkeys(order)
    for block in order[1:]:
        _place_block(placement, regions, block)


def _place_among_loops(placement: Placement, regions: Regions, moves: FrozenSet[Move]) -> None:
    found = placement.dominators
    _find_loop_bodies(placement)
    if not regions.generated:
        _find_last_lines(placement)
    last = {header: _loop_end(found, header, body, regions) for header, body in placement.bodies.items()}
    fronts = _fronts(regions)
    copied: Dict[Block, Block] = {}  # blocks of a copied clean-up -> the front of the statement
    starred = {handler: front for front, handler in regions.opens.items()}
    handler_targets = {h.target for h in regions.opens.values()}
    for block in found.order:
        above = found.immediate[block.index]
        if above is None or above is block:
            placement.home[block] = None
            continue
        front = copied.get(block, fronts.get(regions.context[block.index]))
        left = left_cleanup(block, regions, found)
        if block.instructions[0].op == "LEAVE_STAR":
            front = starred.get(block.instructions[0].arg.handler, front)
        elif left is not None or _ends_handler(block, regions):
            front = fronts.get(regions.context[block.predecessors[0].index])
            if left is not None and front is not None:
                copied.update((one, front) for one in blocks_of_copy(block, left, regions, found))
        limit = placement.home[front] if front is not None else None
        home = _home(placement, regions, last, block, above, limit, block in regions.opens)
        home = placement.home[block] = _moved(placement, block, above, limit, home, moves)
        alike = placement.home[above] is home and regions.context[above.index] is regions.context[block.index]
        placement.outside[block.index] = placement.outside[above.index] if alike else above
        stepped = _leave_steps(placement, block, above)
        if block in handler_targets or _is_try_body(block, above, regions):
            placement.inline[block.index] = True  # stands in its TryRegion
            continue
        if stepped is not None and placement.home[stepped] is home and regions.context[stepped.index] is regions.context[block.index]:
            placement.after.setdefault(stepped, []).append(block)
            continue
        _place_block(placement, regions, block)


def _leave_steps(placement: Placement, block: Block, above: Block) -> Optional[Block]:
    """The outermost `for` that never repeats and that a block stands behind: its iterator is no longer on the stack."""
    stepping = above.terminator.op == "NEXT" and above not in placement.headers and block is above.successors[0]
    around = above if stepping else placement.steps[above.index]
    left = None
    while around is not None and block.depth < around.depth:
        left, around = around, placement.steps[around.index]
    placement.steps[block.index] = around
    return left


def _ends_handler(block: Block, regions: Regions) -> bool:
    """Whether a block is the end of an except clause, laid out with it: `return`, or the deletion of its name."""
    if len(block.predecessors) != 1 or block.predecessors[0] not in regions.leaves:
        return False
    if block.copy:  # 3.8 runs one body for several exits: where it stands tells nothing
        return True
    return 0 <= block.offset - block.predecessors[0].terminator.offset <= 4


class _LoopEnd(NamedTuple):
    """The offset up to which code belongs to a loop. Exception handlers, and what only they lead to (`cold`), may be laid
    out far behind it, and have an end of their own."""

    warm: int
    cold: AbstractSet[Block]
    last_cold: int

    def for_code_below(self, above: Block) -> int:
        return self.last_cold if above in self.cold else self.warm


_NOTHING_COLD: FrozenSet[Block] = frozenset()  # of most loops; an empty set for each would take much memory


def _loop_end(found: Dominators, header: Block, body: Set[Block], regions: Regions) -> _LoopEnd:
    cold: Set[Block] = set()
    dead_ends = regions.dead_ends  # of an inner loop that is never repeated, or of this one
    last = header.terminator.offset
    for block in sorted(body, key=lambda b: found.number[b.index]):
        above = found.immediate[block.index]
        if block is not header and (above in cold or _in_handler(block, header, regions)):
            cold.add(block)
        else:
            last = max(last, block.terminator.offset, dead_ends.get(block.offset, -1))
    for offset, source in regions.loop_ends.get(header, ()):
        if source in body and source not in cold:
            last = max(last, offset)
    return _LoopEnd(last, cold or _NOTHING_COLD, max((block.terminator.offset for block in cold), default=last))


def _in_handler(block: Block, header: Block, regions: Regions) -> bool:
    """Whether an exception handler inside the loop is around `block`."""
    around = regions.context[header.index]
    context: Optional[Context] = regions.context[block.index]
    while context is not None and context is not around:
        if context.kind == "handler":
            return True
        context = context.parent
    return False


def _fronts(regions: Regions) -> Dict[Context, Block]:
    """For each try body and handler, the block in front of the try: both stand where that stands."""
    result: Dict[Context, Block] = {}
    for front, handler in regions.opens.items():
        result[regions.context[front.successors[0].index]] = front
        result[regions.context[handler.target.index]] = front
    return result


def _is_try_body(block: Block, above: Block, regions: Regions) -> bool:
    """Whether a block is the beginning of the try body that `above` opens."""
    if above not in regions.opens or block not in above.successors:
        return False
    return regions.context[block.index] is not regions.context[above.index]


def _layout_order(found: Dominators) -> List[int]:
    """A number for each block: the order of the bytecode, as far as no block comes before one that leads to it."""
    waiting = [0] * len(found.edges)
    for block in found.order:
        for target in found.edges[block.index]:
            if not found.dominates(target, block):
                waiting[target.index] += 1
    numbers = [0] * len(found.edges)
    ready = [(found.order[0].offset, found.order[0].index)]
    by_index = {b.index: b for b in found.order}
    count = 0
    while ready:
        _, index = heapq.heappop(ready)
        numbers[index] = count
        count += 1
        block = by_index[index]
        for target in found.edges[index]:
            if not found.dominates(target, block):
                waiting[target.index] -= 1
                if not waiting[target.index]:
                    heapq.heappush(ready, (target.offset, target.index))
    return numbers


def _find_loop_bodies(placement: Placement) -> None:
    sources = placement.dominators.sources
    for header, ends in placement.dominators.headers.items():
        body = {header}
        work = list(ends)
        while work:
            block = work.pop()
            if block not in body:
                body.add(block)
                work.extend(sources[block.index])
        placement.bodies[header] = body


def _inner_home(placement: Placement, block: Block) -> Optional[Block]:
    """The loop that code directly after `block` stands in."""
    return block if block in placement.headers else placement.home[block]


def _home(
    placement: Placement,
    regions: Regions,
    last: Dict[Block, _LoopEnd],
    block: Block,
    above: Block,
    limit: Optional[Block],
    opens: bool,
) -> Optional[Block]:
    """The loop a block stands in: that of what it follows, or one further out if it is laid out behind that."""
    loop = _inner_home(placement, above)
    if above.terminator.op == "NEXT" and above.successors[0] is block:
        return loop  # the item is used here, even if the loop is never repeated
    while loop is not None and loop is not limit:
        if block in placement.bodies[loop]:
            return loop
        exhausted = loop.terminator.op == "NEXT" and loop.successors[1] is block
        ends = block.instructions[0].op == "RERAISE"  # nobody writes that: it is the end of the handler, which the loop is in
        if exhausted or ends or _reached_from_behind(placement, block, loop) or _iterates_no_more(regions, block, loop):
            loop = placement.home[loop]
            continue
        if _raises_inside(regions, block, loop):
            return loop
        if _was_behind(placement, block, loop, last[loop].cold):
            placement.broken_to.add(block)
        elif block.offset <= last[loop].for_code_below(above) or _still_inside(regions, block, loop):
            return loop
        elif _ends_in_for(block, loop) or _before_exit(placement, block, loop) or _beside_break(placement, block, loop):
            return loop
        if not opens and _only_passes(block):
            return loop
        loop = placement.home[loop]
    return loop


def _moved(
    placement: Placement, block: Block, above: Block, limit: Optional[Block], home: Optional[Block], moves: FrozenSet[Move]
) -> Optional[Block]:
    """The loop that a block is moved to, if it is; the others that it might stand in are remembered."""
    loop = _inner_home(placement, above)
    if loop is None or above.terminator.op == "NEXT" and above.successors[0] is block:
        return home
    if INSIDE in moves and above is not loop:
        return loop
    possible: List[Optional[Block]] = [loop]
    while loop is not None and loop is not limit and block not in placement.bodies[loop]:
        loop = placement.home[loop]
        possible.append(loop)
    for loops, loop in enumerate(possible):
        move = Move(block.offset, loops)
        if move in moves:
            return loop
        if loop is not home:
            placement.elsewhere.append(move)
    return home


def _still_inside(regions: Regions, block: Block, loop: Block) -> bool:
    """Whether the iterator of a `for` is still on the stack, or a value that a statement inside a loop goes on with: then the
    block stands inside, wherever it is laid out."""
    own = block.terminator.arg[0] if block.instructions[0].op == "NEXT" else 0  # the iterator of a `for` that begins here
    if block.depth - own < loop.depth + (loop.terminator.op != "NEXT"):
        return False
    around = regions.context[loop.index]
    context: Optional[Context] = regions.context[block.index]
    while context is not None and context is not around:
        context = context.parent
    return context is not None  # a handler around the loop has other things on the stack


def _raises_inside(regions: Regions, block: Block, loop: Block) -> bool:
    """Whether the iterator of a `for` is still there when an exception is raised: a `break` would have dropped it."""
    if loop.terminator.op != "NEXT" or block.terminator.op != "RAISE" or not _still_inside(regions, block, loop):
        return False
    return lowest_depth(block, len(block.instructions)) >= loop.depth


def _iterates_no_more(regions: Regions, block: Block, loop: Block) -> bool:
    """Whether the iterator of a `for` was dropped on the way to a block, by a `break`; a return does so, too, before it ends."""
    if loop.terminator.op != "NEXT" or block.depth >= loop.depth or block in regions.leaves:
        return False
    if regions.context[block.index] is not regions.context[loop.index]:
        return False
    ops = [i.op for i in block.instructions if i.op not in _PASSES]
    return bool(ops) and ops != ["CONST", "RETURN"]


def _reached_from_behind(placement: Placement, block: Block, loop: Block) -> bool:
    """Whether something that stands behind a loop leads to a block: then the block stands there, too."""
    for source in block.predecessors:
        around: Optional[Block] = source if source in placement.home else loop
        while around is not None and around is not loop:
            around = placement.home[around]
        if around is None:
            return True
    return False


class _ExitLines(NamedTuple):
    """The line that a loop's own test leads to, and the last of those that it is left for; -1 where there is none."""

    own: int
    last: int


def _find_last_lines(placement: Placement) -> None:
    """The end of a body that cannot return stands behind everything, as the end of an except clause does in it."""
    for header, body in placement.bodies.items():
        lines = [i.line for block in body for i in block.instructions if i.line is not None]
        if lines:
            placement.last_lines[header] = max(lines)
            own = [s.instructions[0].line or -1 for s in header.successors if s not in body]
            exits = [_line_of_exit(s, placement.returns) for block in body for s in block.successors if s not in body]
            placement.exit_lines[header] = _ExitLines(max(own, default=-1), max(exits, default=-1))


def _line_of_exit(block: Block, returns: bool) -> int:
    first = block.instructions[0]
    if first.op in ("POP_EXCEPT", "LEAVE_STAR"):
        ends = not returns or first.line is None  # one that has a line may be a written return
    else:
        leaves = [i.op for i in block.instructions[2:4]] == ["DELETE_NAME", "POP_EXCEPT"]
        ends = not returns and (_only_returns(block) or leaves)
    return sys.maxsize if ends else first.line or -1


def _only_returns(block: Block) -> bool:
    return [i.op for i in block.instructions] == ["CONST", "RETURN"]


def _ends(block: Block, returns: bool) -> bool:
    """Whether a block ends in a return or raise, or where it cannot, right before the end."""
    if not returns and block.terminator.op in ("JUMP", "FALL"):
        return _only_returns(block.successors[0])
    return block.terminator.op in ("RAISE", "RETURN")


def _was_behind(placement: Placement, block: Block, loop: Block, cold: AbstractSet[Block]) -> bool:
    """Whether a return or raise stands behind a loop in the source, wherever the compiler laid it out.

    Its line comes after the loop's last one. That alone holds for the last statement of the body, too; so something of
    the body must stand between it and what leads to it, or the loop's own test must lead there, too. Where handlers are laid
    out says nothing: they always come last."""
    if not _ends(block, placement.returns) or loop not in placement.last_lines:
        return False
    line, body = block.instructions[0].line, placement.bodies[loop]
    if line is None or line <= placement.last_lines[loop]:
        return False
    before = body.intersection(block.predecessors)
    lines = {b.terminator.line for b in before}
    if len(lines) > 1:
        return loop.instructions[0].line in lines
    asked = lines.pop() if lines else None
    if asked is None:
        return False
    return any(
        i.line is not None and asked < i.line for b in body - cold if b.offset > block.offset for i in b.instructions
    )


def _before_exit(placement: Placement, block: Block, loop: Block) -> bool:
    """Whether a block stands in the source before something else that the loop is left for, and so inside the loop.

    What a loop's own test leads to may be its `else`, which comes before what a `break` leads to."""
    lines, begins, line = placement.exit_lines.get(loop), loop.instructions[0].line, block.instructions[0].line
    if lines is None or begins is None or line is None or line <= begins or loop in block.predecessors:
        return False
    if not placement.returns and _only_returns(block):
        return False
    if loop.terminator.op == "NEXT" and lines.own in (-1, begins):
        behind = loop.successors[1]
        return behind.terminator.op == "RETURN" or behind.instructions[0].op == "POP_EXCEPT"  # nothing stands behind the loop
    return line < lines.last


def _beside_break(placement: Placement, block: Block, loop: Block) -> bool:
    """Whether what leads to a block stands in a loop, though it never goes on in it, and else goes back to a loop around: that is a
    `break`, with nothing behind the loop."""
    return any(
        placement.home.get(source) is loop
        and source not in placement.bodies[loop]
        and any(s is not loop and loop in placement.bodies.get(s, ()) for s in source.successors)
        for source in block.predecessors
    )


def _ends_in_for(block: Block, loop: Block) -> bool:
    """Whether a raise or return is laid out before the place that an exhausted iterator leads to."""
    if loop.terminator.op != "NEXT" or block.terminator.op not in ("RAISE", "RETURN"):
        return False
    return loop.offset < block.offset < loop.successors[1].offset


def _only_passes(block: Block) -> bool:
    """Drops something from the stack and goes on: belongs to where it is reached from."""
    return all(i.op in _PASSES for i in block.instructions)


def _place_block(placement: Placement, regions: Regions, block: Block) -> None:
    found = placement.dominators
    context = regions.context[block.index]
    home = placement.home[block]
    leader: Optional[Block] = found.immediate[block.index]
    level = ""
    while leader is not None:
        if regions.context[leader.index] is context:
            if leader in placement.headers and leader is home:
                level = "inside"
                break
            if placement.home[leader] is home:
                level = "after"
                break
        leader = placement.outside[leader.index]  # what is in the same context and loop is no better
    if leader is None:
        leader, level = _fallback(placement, regions, block, context)
    sources: Collection[Block] = block.predecessors
    if len(sources) > 1:
        sources = {p for p in sources if not found.dominates(block, p)}  # without the jumps back
    direct = len(sources) == 1 and leader in sources and leader.successors.count(block) == 1
    if direct and leader not in regions.leaves and (level == "inside" or leader not in placement.headers):
        placement.inline[block.index] = True
        return
    table = placement.inside if level == "inside" else placement.after
    table.setdefault(leader, []).append(block)


def _fallback(
    placement: Placement, regions: Regions, block: Block, context: Context
) -> Tuple[Block, str]:
    """No dominator stands in the block's context and loop: the nearest in its context, whatever the loop."""
    found = placement.dominators
    leader: Optional[Block] = found.immediate[block.index]
    while leader is not None:
        if regions.context[leader.index] is context:
            inner = leader in placement.headers
            return leader, "inside" if inner and block in placement.bodies[leader] else "after"
        leader = placement.outside[leader.index]
    return found.order[0], "after"
