"""Prepares a control-flow graph for structuring: which handlers a person would write, and what stands inside what.

The compiler's own handlers (restoring the exception state, restoring what an inlined comprehension hides, ending an
`async for`) are seen through. What remains nests: every block gets a `Context`, the chain of try bodies and exception
handlers around it, and each try body gets a block of its own in front, where the `try` statement will stand.
"""

from __future__ import annotations

from itertools import chain
from typing import Dict, FrozenSet, List, Optional, Set, Tuple

from depyf import checking
from depyf.bytecode.canonical import Block, Graph, Handler, Instruction
from depyf.bytecode.codes import conditions_have_one_line, has_match, is_function, returns_instead_of_jumping

from ..marks import Lines
from .alike import join_alike, join_leaves, join_reraises
from .alternative_ends import join_ends_of_alternatives
from .body_ends import join_body_ends
from .cases import CASE_OPERATIONS, fold_cases
from .chain_ends import join_chain_ends, join_returned_chains
from .clauses import falls_off
from .contexts import Context, find_contexts
from .copied_leaves import join_behind_managers, join_copied_leaves
from .copies import join_copied_returns
from .depths import depth_at, lowest_depth
from .expanded import expand
from .fast_paths import cut_fast_paths
from .finallies import join_finallies
from .iteration import end_comprehensions, give_back_first, split_async_loops, split_behind_breaks
from .joined import join_all_ends
from .laws import check_depths
from .managers import split_behind_managers
from .repeated_tests import join_repeated_tests
from .star import make_plain_clauses
from .threaded import lead_to_tests
from .tidied import bypass_jumps, merge_straight_lines, prune
from .unprotected import ends_an_operand, join_pops, unprotected_tests
from .ways import CANNOT_RAISE, is_restore, past_jumps
from .written import Written, lines_of_jumps, lines_of_ways


class Regions:
    """The prepared graph. `context` is by block index; `opens` maps the block in front of a try to its handler;
    `leaves` holds the blocks after which an exception handler is over; `loop_ends` is where jumps back to a block
    stood that were bypassed, and what led to them; `dead_ends`, by the offset of a block, where one stands that nothing reaches;
    `jump_lines` the lines of bypassed jumps, and `written` the lines
    on which a jump or return stands alone; `lines` is by offset; of `generated` code they mean nothing. `unprotected` are
    the offsets of tests without handler, and whether each is of the last operand of the opposite operator. `way_lines` are
    the lines of ways out of a branch that are not those of the branch, see `lines_of_ways`."""

    __slots__ = (
        "graph", "context", "opens", "leaves", "loop_ends", "jump_lines", "written", "lines", "generated", "unprotected",
        "cleanups", "dead_ends", "way_lines",
    )  # fmt: skip

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.context: List[Context] = []
        self.opens: Dict[Block, Handler] = {}
        self.leaves: Set[Block] = set()
        self.jump_lines: Dict[Tuple[Block, Block], int] = {}
        self.written = Written(frozenset(), frozenset())
        self.unprotected: Dict[int, bool] = {}
        self.lines = Lines(graph.lines, chain(graph.folded, graph.dead))
        self.generated = False
        self.cleanups = False  # whether copies of `finally` were looked for in the graph
        self.loop_ends: Dict[Block, List[Tuple[int, Block]]] = {}
        self.dead_ends: Dict[int, int] = {}
        self.way_lines: Dict[Tuple[int, int], Optional[int]] = {}

    def split(self, graph: Graph, block: Block, position: int) -> Block:
        """Cuts a block where `leaves` are known: an exception handler that is over after it is over after its second half."""
        rest = split_block(graph, block, position)
        if block in self.leaves:
            self.leaves.discard(block)
            self.leaves.add(rest)
        return rest


def prepare(
    graph: Graph,
    generated: bool = False,
    cleanups: bool = False,
    expanded: FrozenSet[int] = frozenset(),
    joined: bool = False,
    entered_again: bool = False,
) -> Regions:
    """`generated`: by a program, whose line numbers tell nothing about copies; `cleanups`: look for copies of `finally` here;
    `expanded`: offsets in expressions whose ways share nothing any more; `joined`: what is the same is one place, whatever its line;
    `entered_again`: loops that might stand in a try body stand around the try."""
    regions = Regions(graph)
    regions.generated, regions.cleanups = generated, cleanups
    if not generated:
        for dead in graph.unreached:
            if dead.terminator.op == "JUMP" and dead.successors and dead.successors[0].offset < dead.offset:
                regions.dead_ends[dead.successors[0].offset] = dead.terminator.offset
        # while all jumps and copies are still there
        regions.written = lines_of_jumps(graph, is_function(graph.code))
        if "BRANCH" in graph.ops and not conditions_have_one_line():
            regions.way_lines = lines_of_ways(graph)
    if len(graph.blocks) == 1 and graph.blocks[0].terminator.op in ("RETURN", "RAISE"):
        find_contexts(graph, regions)  # straight lines, as half of all functions are: nothing to prepare
    else:
        _prepare_blocks(graph, regions, expanded, joined, entered_again)
        if checking.laws:
            check_depths(graph)
    return regions


def _prepare_blocks(graph: Graph, regions: Regions, expanded: FrozenSet[int], joined: bool, entered_again: bool) -> None:
    """The steps in their order; each is left out where none of the operations occurs that it looks for."""
    ops, written = graph.ops, not regions.generated
    ends: Set[Block] = set()
    if graph.handlers:
        ends = _protect_tests(graph, regions)
        _protect_returns(graph)  # whose tests have their handlers now
    if "BUILTIN" in ops and cut_fast_paths(graph):
        prune(graph)
    if "ANEXT" in ops:
        split_async_loops(graph)
    if "LOAD_CLEAR" in ops and "RERAISE" in ops:
        give_back_first(graph)
    if written:
        join_ends_of_alternatives(graph, split_block)
        if "BRANCH" in ops and returns_instead_of_jumping():
            join_returned_chains(graph, split_block)
        join_copied_returns(graph, split_block, regions.written.returns)
    if graph.handlers and make_plain_clauses(graph, split_block):
        prune(graph)
    if has_match() and ops >= CASE_OPERATIONS and fold_cases(graph, split_block):
        prune(graph)
    if not is_function(graph.code):
        join_body_ends(graph)
    if graph.handlers:
        _see_through_handlers(graph)
    if "POP_EXCEPT" in ops:
        _split_after_pop_except(graph, regions)
    if not ops.isdisjoint(("RERAISE", "NEXT", "ANEXT")):
        _split_before_ends(graph)
    if graph.handlers:
        _close_gaps(graph, regions)
    if joined and join_all_ends(graph, regions.leaves, split_block):
        prune(graph)
    if written and "BRANCH" in ops and join_repeated_tests(graph, split_block):
        prune(graph)
    if "BRANCH" in ops and "COPY" in ops and lead_to_tests(graph):
        prune(graph)
    bypass_jumps(graph, regions)
    if written and graph.handlers and "POP" in ops:
        join_chain_ends(graph)
    if graph.handlers:
        end_comprehensions(graph)
    if "POP" in ops:
        _repeat_pops(graph, regions, ends)
    if written and regions.leaves:
        join_copied_leaves(graph, regions.leaves)
    prune(graph)
    merge_straight_lines(graph, regions)
    if written and regions.leaves:
        join_behind_managers(graph, regions.leaves, regions.split)
    if "WITH_EXCEPT" in ops:
        split_behind_managers(graph, regions.split)
    if "ANEXT" in ops or "NEXT" in ops and not is_function(graph.code):
        split_behind_breaks(graph, regions.leaves, split_block)
    if regions.cleanups:
        join_finallies(graph, regions.split, prune)
    if expanded:
        expand(graph, regions, expanded, regions.split, prune)
    find_contexts(graph, regions, entered_again)
    if "RERAISE" in ops:
        join_reraises(graph, regions)
    if regions.leaves:
        join_leaves(graph, regions)
        if written:
            join_alike(graph, regions)


def _protect_returns(graph: Graph) -> None:
    """What only returns the value that is there cannot raise: it belongs to where the value comes from."""
    for block in graph.blocks:
        if len(block.instructions) == 1 and block.terminator.op == "RETURN":
            around = {source.handler for source in block.predecessors}
            if len(around) == 1:
                block.handler = _innermost(around.pop(), block.handler)


def _innermost(one: Optional[Handler], other: Optional[Handler]) -> Optional[Handler]:
    """The first handler, if its own code runs under the second, however many stand between; else the second."""
    outer, passed = one, set()
    while outer is not None and outer is not other and outer not in passed:
        passed.add(outer)
        outer = outer.target.handler
    return one if outer is other else other


def _protect_tests(graph: Graph, regions: Regions) -> Set[Block]:
    """Must see all handlers. Returns the places where values of such tests are dropped."""
    unprotected = unprotected_tests(graph)
    regions.unprotected = {block.offset: ends_an_operand(block) for block in unprotected}
    ends = join_pops(graph, unprotected) if unprotected else set()
    if ends:
        prune(graph)
    return ends


# ---------------------------------------------------------------- the compiler's own handlers


def _is_cleanup(block: Block) -> bool:
    ops = [i.op for i in block.instructions]
    return ops == ["COPY", "POP_EXCEPT", "RERAISE"]


def _ends_something(block: Block) -> bool:
    """The end of an `async for`, or of a generator of which a test is unprotected: StopIteration must not leave it."""
    if block.terminator.op == "END_ASYNC_FOR":
        return True
    return [i.op for i in block.instructions] == ["INTRINSIC", "RERAISE"] and block.instructions[0].arg == _GENERATOR_END


_GENERATOR_END = ("STOPITERATION_ERROR", 1)


def _see_through_handlers(graph: Graph) -> None:
    through: Dict[Handler, Optional[Handler]] = {}

    def effective(handler: Optional[Handler]) -> Optional[Handler]:
        seen = []
        while handler is not None and handler not in through:
            target = handler.target
            if not (_is_cleanup(target) or is_restore(target) or _ends_something(target)):
                through[handler] = handler
                break
            seen.append(handler)
            if len(seen) > len(graph.handlers):
                handler = None
                break
            handler = target.handler
        result = through[handler] if handler is not None else None
        for one in seen:
            through[one] = result
        return result

    for block in graph.blocks:
        block.handler = effective(block.handler)


# ---------------------------------------------------------------- shapes of blocks


def _split_after_pop_except(graph: Graph, regions: Regions) -> None:
    """What follows POP_EXCEPT is no longer in the handler."""
    ends: Dict[Block, Block] = {}  # of the blocks that were cut
    for block in list(graph.blocks):
        ops = [i.op for i in block.instructions]
        while "POP_EXCEPT" in ops:
            cut = ops.index("POP_EXCEPT") + 1
            before = ends.get(block, block)
            regions.leaves.add(before)
            ends[block] = _cut(graph, before, cut)
            ops = ops[cut:]
    for successor in dict.fromkeys(s for end in ends.values() for s in end.successors):  # one place may be behind a thousand clauses
        successor.predecessors = [ends.get(p, p) for p in successor.predecessors]


def _split_before_ends(graph: Graph) -> None:
    """Raising again is a place of its own, so that all ways to it can meet there; so is the next item of a loop."""
    for block in list(graph.blocks):
        instructions = block.instructions
        if len(instructions) > 1 and instructions[-1].op in ("RERAISE", "NEXT"):
            split_block(graph, block, len(instructions) - 1)


def _repeat_pops(graph: Graph, regions: Regions, ends: Set[Block]) -> None:
    """A block that only drops values and goes on: each way into it gets its own, whatever it drops; not so `ends`."""
    targets = {b.handler.target for b in graph.blocks if b.handler is not None} | ends
    for block in list(graph.blocks):
        if len(block.predecessors) < 2 or block in targets or block is graph.blocks[0]:
            continue
        if any(falls_off(p, regions) for p in block.predecessors):
            continue  # what is written there stands behind the try
        dropping = _leading_pops(block)
        if not dropping or any(_ends_chain(p) for p in block.predecessors):
            continue
        if not _drops_what_differs(block, dropping) and not any(p in regions.leaves for p in block.predecessors):
            continue
        if dropping + 1 < len(block.instructions) or block.terminator.op not in ("FALL", "JUMP"):
            regions.split(graph, block, dropping)
        if block.successors[0] is block:
            continue
        for source in list(dict.fromkeys(block.predecessors))[1:]:
            copy = Block(len(graph.blocks))
            copy.instructions = list(block.instructions)
            copy.successors = block.successors
            copy.handler, copy.depth, copy.copy = block.handler, block.depth, block.copy
            copy.predecessors = [p for p in block.predecessors if p is source]
            block.predecessors = [p for p in block.predecessors if p is not source]
            source.successors = tuple(copy if s is block else s for s in source.successors)
            block.successors[0].predecessors.append(copy)
            graph.blocks.append(copy)


def _ends_chain(block: Block) -> bool:
    """Whether a chain of comparisons drops its last operand here: what follows uses the value of the whole chain."""
    return [(i.op, i.arg) for i in block.instructions[:-1]] == [("SWAP", 2), ("POP", None)]


def _drops_what_differs(block: Block, dropping: int) -> bool:
    """Whether one of the slots that are dropped was made on the way here: a loop's iterator below a value was not."""
    slots = list(range(block.depth))
    dropped: List[int] = []
    for instruction in block.instructions[:dropping]:
        if instruction.op == "POP":
            dropped.append(slots.pop())
        else:
            slots[-1], slots[-instruction.arg] = slots[-instruction.arg], slots[-1]
    return any(lowest_depth(source, len(source.instructions)) <= max(dropped) for source in block.predecessors)


def _leading_pops(block: Block) -> int:
    """How many instructions at the beginning only drop values."""
    count = 0
    for instruction in block.instructions:
        if instruction.op not in ("POP", "SWAP"):
            break
        count += 1
    while count and block.instructions[count - 1].op == "SWAP":
        count -= 1
    return count


def split_block(graph: Graph, block: Block, position: int) -> Block:
    """Cuts `block` before the instruction at `position`; returns the new second half."""
    rest = _cut(graph, block, position)
    for successor in dict.fromkeys(rest.successors):
        successor.predecessors = [rest if p is block else p for p in successor.predecessors]
    return rest


def _cut(graph: Graph, block: Block, position: int) -> Block:
    """The same; what follows does not know it yet."""
    rest = Block(len(graph.blocks))
    rest.instructions = block.instructions[position:]
    rest.successors = block.successors
    rest.handler = block.handler
    rest.depth = depth_at(block, position)
    rest.copy = block.copy
    last = block.instructions[position - 1]
    block.instructions = block.instructions[:position] + [Instruction("FALL", None, last.offset, last.line)]
    block.successors = (rest,)
    rest.predecessors = [block]
    graph.blocks.append(rest)
    return rest


def _close_gaps(graph: Graph, regions: Regions) -> None:
    """A block that cannot raise, between two of one try body, belongs to that body; so does a test that leads out of it or on in it."""
    for block in graph.blocks:
        if not block.predecessors or not block.successors or block in regions.leaves:
            continue
        handler = block.predecessors[0].handler
        if handler is block.handler or handler is None:
            continue
        targets = [past_jumps((target, 0))[0] for target in block.successors]
        inside = [target for target in targets if target.handler is handler]
        if len(inside) < len(block.successors):
            if not inside or inside[0].offset <= block.offset and not _goes_on(block):
                continue
            if _innermost(handler, block.handler) is not handler:
                continue  # it begins the body of a statement in that body
        elif block.handler is not None and _innermost(block.handler, handler) is block.handler:
            continue
        if any(p.handler is not handler or p in regions.leaves for p in block.predecessors):
            continue
        if all(i.op in CANNOT_RAISE or i.op == "CASE" and not i.arg.can_raise for i in block.instructions):
            block.handler = handler


def _goes_on(block: Block) -> bool:
    """Whether a block goes on with a value that it finds there: it stands in the expression that the value is of."""
    return lowest_depth(block, len(block.instructions)) < block.depth
