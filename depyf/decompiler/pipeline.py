"""The decompiler's pipeline, as one list of stages; each says why it stands where it stands."""

from __future__ import annotations

from itertools import chain, combinations, islice
from types import CodeType
from typing import Dict, FrozenSet, Iterator, List, NamedTuple, Optional, Set, Tuple

from depyf.bytecode import graph_of
from depyf.bytecode.canonical import Block
from depyf.bytecode.codes import is_function
from depyf.errors import DecompilationError

from .lifting import values
from .lifting.fresh import Container, copied_state, drop_dead_stores, escape, operations, same_containers
from .lifting.kept import KeepingLifter
from .lifting.lift import UNSETTLED, LiftedBlock, Lifter
from .lifting.needs import NeedsCleanups, NeedsContainers, NeedsTemporaries, needs_names
from .lifting.operations import OPERATIONS
from .lifting.states import State, cross, entry_state, handler_state
from .lifting.temporaries import Temporaries
from .lifting.tested import passing, ways_meet, without_test
from .lifting.values import Chained, Copied, Joined, Marker, UnpackedItem
from .marks import number_offsets
from .nesting.inlined import NOTHING_INLINED, find_inlined
from .prepare.expanded import EVERYWHERE
from .prepare.placement import INSIDE, Move, Placement, place
from .prepare.regions import Regions, prepare
from .prepare.stale_mangling import mangles_on, may_be_mangled_on, undo_stale_mangling
from .structuring.finalize import finalize
from .structuring.structure import structure
from .structuring.walk import LOOPS, named_offsets
from .tree import Expr, Stmt

DEFAULT_PREFIX = "__temp_"
NO_READING = (DecompilationError, LookupError)  # of an attempt: a graph that is read in another way may have a shape that no stage knows
ORDINARY, PLAIN = 0, 1  # the first readings of a code object: see `ways_to_read`
_FEW = 4  # names of ours in a function: with more of them, hardly all can be spared
_MOVES = 40  # as many other places are tried
_PAIRED = 12  # and so many two at a time


class Body:
    """The statements of one code object, not yet with its nested functions; `names` is what its stores declare."""

    __slots__ = ("code", "statements", "regions", "temporaries", "lines", "generated", "inlined", "private", "mode", "has_loops")

    def __init__(self, code: CodeType, regions: Regions, temporaries: Temporaries) -> None:
        self.code = code
        self.statements: List[Stmt] = []
        self.regions = regions
        self.lines = regions.lines
        self.temporaries = temporaries
        self.inlined = NOTHING_INLINED  # comprehensions
        self.private: Dict[int, str] = {}  # names of attributes beside classes that these may be mangled for, by offset
        self.mode = Mode()
        self.has_loops = True  # as far as is known
        self.generated = False  # by a program, whose line numbers say nothing about how the code was written


def decompile_body(
    code: CodeType, prefix: str = DEFAULT_PREFIX, number: int = 0, drop_unread: bool = False, reading: int = ORDINARY
) -> Body:
    """Everything up to plain statements for one code object; the plainest way that works.

    `number` tells the offsets of nested code objects apart: see `marks`. `reading` asks for another than the ordinary one
    (see `ways_to_read`), where that can be had: some expressions cannot have temporaries (a display that goes on behind what it
    chooses), and are as always."""
    mode = Mode(number=number, drop_unread=drop_unread)
    if reading != ORDINARY:
        try:
            return _decompile_somehow(code, prefix, _mode_of(code, mode, reading))
        except NO_READING:
            pass
    try:
        body = _decompile_somehow(code, prefix, mode)
    except DecompilationError as problem:
        other = _otherwise(code, prefix, mode)
        if other is None:
            raise problem from None  # of the text that a person would have written
        return other
    seen, made = body.temporaries.seen, len(body.temporaries.made)
    if not made or not seen and (body.generated or made > _FEW and not body.regions.unprotected):
        return body  # of tests without handler, those of an expression must stay in it
    other = _without_names(body, prefix, mode)
    if other.temporaries.made:
        other = _elsewhere(other, prefix)
    return other if seen or not other.temporaries.made else body


def ways_to_read(code: CodeType) -> Iterator[int]:
    """The numbers of the readings of a code object beside the ordinary one, the likeliest first."""
    if is_function(code):
        yield PLAIN
    for number, _ in enumerate(_unlikely_modes(code, Mode()), PLAIN + 1):
        yield number


def _mode_of(code: CodeType, mode: Mode, reading: int) -> Mode:
    if reading == PLAIN:  # the least that is recognised, and temporaries
        return mode._replace(plain=True, safe=True)
    return next(islice(_unlikely_modes(code, mode), reading - PLAIN - 1, None), mode)


def _unlikely_modes(code: CodeType, mode: Mode) -> Iterator[Mode]:
    """Ways to read a graph whose ordinary text is not what it says."""
    yield mode._replace(cleanups=True)
    yield mode._replace(expanded=frozenset({EVERYWHERE}))
    if is_function(code):
        yield mode._replace(plain=True)  # tests without handler must stay in their expression
        yield mode._replace(joined=True)
        yield mode._replace(entered_again=True)
    yield from _other_modes(code, mode)


def _otherwise(code: CodeType, prefix: str, mode: Mode) -> Optional[Body]:
    """A text for what has none as a person would have written it: nothing is shared, what was repeated is one place, or a part
    stands in another loop than layout and lines say."""
    found: Optional[Body] = None
    for other in chain([mode._replace(expanded=frozenset({EVERYWHERE}))], _other_modes(code, mode)):
        try:
            body = _decompile_somehow(code, prefix, other)
        except NO_READING:
            continue
        if not body.temporaries.seen or not body.temporaries.made:
            return body
        found = found or body  # with names that can be seen
    return found


def _other_modes(code: CodeType, mode: Mode) -> Iterator[Mode]:
    """Other ways to read the same graph, those first that change least of what a person would have written."""
    elsewhere = _prepared(code, mode)[1].elsewhere[:_MOVES]
    for move in elsewhere:
        yield mode._replace(moves=frozenset({move}))
    if elsewhere:
        yield mode._replace(moves=frozenset({INSIDE}))
    if is_function(code):
        return  # which may have names for the rest
    yield mode._replace(cleanups=True)
    yield mode._replace(joined=True)
    yield mode._replace(entered_again=True)
    yield mode._replace(ends_last=True)
    yield mode._replace(ends_last=True, joined=True)
    yield mode._replace(joined=True, expanded=frozenset({EVERYWHERE}))
    for inside in (mode._replace(moves=frozenset({INSIDE})),) if elsewhere else ():
        yield inside._replace(cleanups=True)
        yield inside._replace(joined=True)
        yield inside._replace(entered_again=True)
    for move in _prepared(code, mode._replace(joined=True))[1].elsewhere[:_MOVES]:
        yield mode._replace(joined=True, moves=frozenset({move}))
    for moves in combinations(elsewhere[:_PAIRED], 2):
        yield mode._replace(moves=frozenset(moves))


def _without_names(body: Body, prefix: str, mode: Mode) -> Body:
    """A body with fewer names of ours, if repeating what expressions share spares them."""
    expanded: FrozenSet[int] = frozenset()
    best, names = body, named_offsets(body.statements, body.temporaries.made)
    while names and not names <= expanded:
        expanded |= names
        try:
            body = _decompile_somehow(body.code, prefix, mode._replace(expanded=expanded))
        except NO_READING:
            break
        names = named_offsets(body.statements, body.temporaries.made)
        if len(body.temporaries.made) < len(best.temporaries.made):
            best = body
    return best


def _elsewhere(body: Body, prefix: str) -> Body:
    """A body with fewer names of ours, if what layout and lines say about where code stands is wrong somewhere.

    The compiler moves code and merges jumps, so what a loop is left for may look as if it stood inside, or the other way round:
    then jumps seem to lead where no statement leads, and only a flag would do."""
    best = body
    for mode in _other_modes(body.code, body.mode):
        try:
            other = _decompile_somehow(body.code, prefix, mode)
        except NO_READING:
            continue
        if len(other.temporaries.made) < len(best.temporaries.made):
            best = other
            if not other.temporaries.made:
                break
    return best


def _decompile_somehow(code: CodeType, prefix: str, mode: Mode) -> Body:
    """In the first mode from `mode` on that works."""
    first = mode
    while True:
        try:
            return _decompile_body(code, prefix, mode)
        except NeedsContainers as problem:
            if mode.containers:
                raise _cannot_keep(code) from problem
            mode = mode._replace(containers=True)
        except NeedsCleanups:
            mode = mode._replace(cleanups=True)
        except DecompilationError:
            if mode.cleanups:
                raise
            mode = first._replace(containers=mode.containers, cleanups=True)
        except NeedsTemporaries as problem:
            if problem.offsets <= mode.named:
                if mode.safe:
                    raise _cannot_keep(code) from problem
                body = _expanded(code, prefix, mode)
                if body is not None:
                    return body
                mode = mode._replace(safe=True)
            mode = mode._replace(named=mode.named | problem.offsets)


def _expanded(code: CodeType, prefix: str, mode: Mode) -> Optional[Body]:
    """Before all that crosses blocks gets a temporary: with ways of their own through expressions, if none needs one then."""
    if mode.expanded or mode.containers:
        return None
    everywhere = frozenset({EVERYWHERE})
    for expanded in (everywhere, mode.named) if mode.named else (everywhere,):  # then those expressions alone that need names
        try:
            return _decompile_body(code, prefix, mode._replace(named=frozenset(), expanded=expanded))
        except (NeedsContainers, NeedsCleanups, NeedsTemporaries, *NO_READING):
            pass
    return None


def _cannot_keep(code: CodeType) -> DecompilationError:
    return DecompilationError("a value is used where it cannot be kept", code_name=code.co_name)


class Mode(NamedTuple):
    """How values are lifted: `named` are the offsets of copies that get temporaries, `safe` gives them to all that crosses
    blocks, `containers` evaluates fresh lists, `cleanups` looks for copies of `finally` in the graph, `drop_unread` leaves out
    stores that nobody reads, `plain` concludes nothing from lines, `expanded` are offsets in expressions whose ways share nothing,
    `moves` what stands in another loop than it looks, `joined` makes what is the same one place, whatever its line, `ends_last` puts
    what leads to the end of a body behind all else, `entered_again` puts loops around tries that might stand in them."""

    named: FrozenSet[int] = frozenset()
    safe: bool = False
    containers: bool = False
    cleanups: bool = False
    number: int = 0
    drop_unread: bool = False
    plain: bool = False
    expanded: FrozenSet[int] = frozenset()
    moves: FrozenSet[Move] = frozenset()
    joined: bool = False
    ends_last: bool = False
    entered_again: bool = False


def _prepared(code: CodeType, mode: Mode) -> Tuple[Regions, Placement, Dict[int, str]]:
    """The graph, made ready, and where each of its blocks stands; names of attributes that 3.12 would mangle."""
    graph = graph_of(code)  # canonical instructions: the last stage that knows versions
    if mode.number:
        number_offsets(graph, mode.number)
    private = undo_stale_mangling(graph) if mangles_on(code) else {}
    if mode.containers or mode.drop_unread:
        drop_dead_stores(code, graph.blocks)  # before anything is lifted
    # which handlers a person wrote; must see the graph before it is lifted
    regions = prepare(graph, mode.containers or mode.plain, mode.cleanups, mode.expanded, mode.joined, mode.entered_again)
    return regions, place(graph, regions, mode.moves), private  # dominators of the prepared graph


def _decompile_body(code: CodeType, prefix: str, mode: Mode) -> Body:
    regions, placement, private = _prepared(code, mode)
    taken = {*code.co_varnames, *code.co_names, *code.co_cellvars, *code.co_freevars}
    suffix = "__" if mangles_on(code) or mode.number and may_be_mangled_on(code) else ""
    body = Body(code, regions, Temporaries(prefix, taken, not is_function(code), suffix))
    lifted, entries, shares = lift_blocks(regions, placement, body, mode)  # needs the order that dominators gave
    tree = structure(regions, lifted, entries, placement, body.temporaries, mode.ends_last)
    holders = finalize(tree, body.temporaries.new, code.co_name, shares)
    body.has_loops = not holders.isdisjoint(LOOPS)
    body.statements = tree
    body.generated = mode.containers or mode.plain
    body.private = private
    body.mode = mode
    return body


def lift_blocks(
    regions: Regions, placement: Placement, body: Body, mode: Mode
) -> Tuple[Dict[Block, LiftedBlock], Dict[Block, State], bool]:
    """Lifts every block once its ways in are known; again if a loop brings back other values than it began with.

    The last of the three results: whether values are shared, see `finalize`."""
    forced: Set[Tuple[int, int]] = set()
    tested: Set[Block] = set()
    while True:
        lifter = (KeepingLifter if mode.safe else Lifter)(body.code, body.temporaries, OPERATIONS)
        lifter.named, lifter.unprotected = mode.named, regions.unprotected
        if mode.containers:
            lifter.operations, lifter.container_class, lifter.escape = operations(), Container, escape
            lifter.same_value, lifter.unsettled = same_containers, UNSETTLED | {Container}
        lifted, entries, meeting = _lift_in_order(regions, placement, lifter, forced, tested)
        differing = _differing_slots(placement, lifted, entries)
        if not differing - forced and not meeting:
            if lifter.given_back:
                body.inlined = find_inlined(lifter.given_back, lifter.hiding, ((block, entries[block].stack) for block in lifted))
            return lifted, entries, lifter.shares
        forced |= differing
        tested |= meeting


def _lift_in_order(
    regions: Regions, placement: Placement, lifter: Lifter, forced: Set[Tuple[int, int]], tested: Set[Block]
) -> Tuple[Dict[Block, LiftedBlock], Dict[Block, State], Set[Block]]:
    """`tested` are blocks where ways meet whose tests decide nothing; found ones are returned, unless temporaries are made."""
    meeting: Set[Block] = set()
    above = placement.dominators.immediate
    lifted: Dict[Block, LiftedBlock] = {}
    entries: Dict[Block, State] = {}
    incoming: Dict[Block, List[State]] = {}
    caught: Dict[Block, State] = {}
    for block in placement.dominators.order:
        ways = incoming.pop(block, None)  # nobody asks for them again
        if ways is not None:
            must = forced | {(block.index, len(ways[0].stack) - 1)} if block in tested else forced
            state = entry_state(ways, block, must, lifter.same_value)
            lifter.shares = lifter.shares or bool(state.pending)
        elif block in caught:
            state = caught[block]
        else:
            state = State([], [])
        if state.pending and block in regions.opens:
            if any(isinstance(v, (Chained, Copied)) for v in state.pending):
                raise NeedsTemporaries()
            for value in state.pending:
                if isinstance(value, UnpackedItem):
                    raise needs_names(value)
            state = cross(state)
        entries[block] = state
        if state.stack and not lifter.is_safe(state.stack) and block not in tested and ways_meet(state, block, above[block.index]):
            meeting.add(block)
        if block.handler is not None and block.handler.target not in caught:
            caught[block.handler.target] = handler_state(block.handler, state)
        begins = without_test(state) if block in tested else state
        result = lifted[block] = lifter.run(block, copied_state(begins) if lifter.container_class else begins)
        if tested and not tested.isdisjoint(block.successors):
            result.exits = [passing(e) if t in tested else e for t, e in zip(block.successors, result.exits)]
        for target, exit_ in zip(block.successors, result.exits):
            incoming.setdefault(target, []).append(exit_)
    return lifted, entries, meeting


def _differing_slots(
    placement: Placement, lifted: Dict[Block, LiftedBlock], entries: Dict[Block, State]
) -> Set[Tuple[int, int]]:
    """Slots of loop headers that the loop changes: they need a parameter. What only leads forward was joined when it was lifted."""
    found: Set[Tuple[int, int]] = set()
    for block, back_to in placement.dominators.backward:  # some lead to handlers
        for target, exit_ in zip(block.successors, lifted[block].exits):
            if target is not back_to:
                continue
            for slot, value in enumerate(entries[target].stack):
                if isinstance(value, (Joined, Marker)) or exit_.stack[slot] is value:
                    continue
                if same_containers(exit_.stack[slot], value) or _iterates(exit_.stack[slot], value):
                    continue
                found.add((target.index, slot))
    return found


def _iterates(later: Expr, earlier: Expr) -> bool:
    """Whether a loop goes on with the iterator that it was given."""
    return isinstance(later, values.Iterator) and later.given and later.value is earlier
