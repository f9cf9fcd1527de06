"""Copies of a `finally` body, found in the graph: whatever loops, jumps and handlers the body has, and wherever it ends.

`tries` finds most copies in the tree, where they are short. A body that loops looks different there in each copy, since
what follows the copy has become part of it. Here a copy is walked beside the handler, instruction by instruction, and
replaced by one CLEANUP, behind which stands what followed the copy.
"""

from __future__ import annotations

from typing import Callable, Dict, List, Optional, Set, Tuple

from depyf.bytecode.canonical import Block, Graph, Handler, Instruction
from depyf.bytecode.codes import CONDITIONAL_ANNOTATIONS

from ..structuring.compare import same, same_constant
from .clauses import is_name_cleanup
from .depths import depth_at
from .joining import Split
from .matching import Case
from .threaded import past_tests
from .ways import CANNOT_RAISE, Place, lead_alike, past_jumps

_LEAVES = frozenset(("POP", "SWAP", "POP_EXCEPT"))  # what drops the exception, or what was to be returned


def join_finallies(graph: Graph, split: Split, prune: Callable[[Graph], None]) -> None:
    """Replaces every copy of every `finally` body that is found whole on each way out.

    A body that holds a `finally` itself comes first: the copies of that are gone with its own copies."""
    done: Set[Handler] = set()
    while True:
        inside: Dict[Handler, List[Block]] = {}
        _note_handlers(graph.blocks, inside)
        found = {h: _copies(h, inside[h]) for h in inside if h not in done and _is_finally(h)}
        inner = {h for copies in found.values() for copy in copies.values() for h in copy.handlers}
        outermost = [h for h, copies in found.items() if copies and h not in inner]
        if not outermost:
            return
        for handler in outermost:
            count = len(graph.blocks)
            _join(graph, handler, _copies(handler, inside[handler]), split)
            _note_handlers(graph.blocks[count:], inside)
        done.update(outermost)
        prune(graph)


def _note_handlers(blocks: List[Block], inside: Dict[Handler, List[Block]]) -> None:
    for block in blocks:
        for handler in _around(block):
            inside.setdefault(handler, []).append(block)


def _around(block: Block) -> List[Handler]:
    """The handlers around a block, the innermost first."""
    found: List[Handler] = []
    while block.handler is not None and block.handler not in found:
        found.append(block.handler)
        block = block.handler.target
    return found


def _is_finally(handler: Handler) -> bool:
    """Whether a handler neither catches nor is one that the compiler adds: `with`, and the end of `except ... as name`."""
    ops = [i.op for i in handler.target.instructions]
    if any(op in ("EXC_MATCH", "WITH_EXCEPT", "END_ASYNC_FOR", "CHECK_EG_MATCH", "EG_MATCH") for op in ops):
        return False
    if ops[0] not in ("PUSH_EXC", "EXC_ENTER") or ops[1] == "POP":
        return False
    return not (is_name_cleanup(handler.target.instructions[1:4]) and {*ops[4:]} <= {"FALL", "RERAISE"})


def _copies(handler: Handler, inside: List[Block]) -> Dict[Block, _Copy]:
    """The copies of a `finally` body by the blocks they begin with; none if one of the ways out has no copy."""
    copies = {entry: _Copy(handler, entry, sources) for entry, sources in _exits(inside).items()}
    return copies if all(copy.is_one() for copy in copies.values()) else {}


def _exits(inside: List[Block]) -> Dict[Block, List[Block]]:
    """Where control goes from a try body without an exception, and from where."""
    body = set(inside)
    exits: Dict[Block, List[Block]] = {}
    for block in inside:
        for target in block.successors:
            if target not in body:
                exits.setdefault(target, []).append(block)
    return exits


def _join(graph: Graph, handler: Handler, copies: Dict[Block, _Copy], split: Split) -> None:
    behind: Dict[Place, Block] = {}
    for entry, copy in copies.items():
        end = copy.end()
        dropped = _dropped_first(entry, end)
        if end is not None and end not in behind:
            block, position = end
            behind[end] = split(graph, block, position) if position else block
            if behind[end].handler in copy.handlers:
                behind[end].handler = copy.outer  # a return behind a try of the copy, which only the end of the body leads to
        made = _put_in_place(graph, CleanedUp(handler, copy.numbers), entry, copy.sources, behind.get(end) if end else None)
        made.instructions[:0] = dropped


def _put_in_place(graph: Graph, done: CleanedUp, entry: Block, sources: List[Block], behind: Optional[Block]) -> Block:
    first = next((i for i in entry.instructions if i.line is not None), entry.instructions[0])
    made = Block(len(graph.blocks))
    made.instructions = [Instruction("CLEANUP", done, first.offset, first.line)]
    made.handler, made.depth, made.copy = done.handler.target.handler, entry.depth, entry.copy
    if behind is not None:
        made.instructions.append(Instruction("FALL", None, first.offset, first.line))
        made.successors = (behind,)
        behind.predecessors.append(made)
    for source in dict.fromkeys(sources):
        source.successors = tuple(made if s is entry else s for s in source.successors)
        made.predecessors.append(source)
        entry.predecessors = [p for p in entry.predecessors if p is not source]
    graph.blocks.append(made)
    return made


class CleanedUp:
    """The body of the `finally` of a handler, without an exception. `numbers` are those of its annotations, by those they have in
    the handler."""

    def __init__(self, handler: Handler, numbers: Dict[int, int]) -> None:
        self.handler = handler
        self.numbers = numbers

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CleanedUp) and other.handler is self.handler

    def __hash__(self) -> int:
        return hash(self.handler)


class _Copy:
    """A walk along the handler and, beside it, along what may be a copy of its code."""

    def __init__(self, handler: Handler, entry: Block, sources: List[Block]) -> None:
        self.sources = sources
        self.handlers: Set[Handler] = set()  # of try statements in the body, and of their copies
        self.outer = handler.target.handler
        self.depth = depth_at(handler.target, 1)  # with the exception on the stack, and nothing of the body
        # the last of the three: whether control is still in the handler, or has left it, as by a `return` in the body
        self.work: List[Tuple[Place, Place, bool]] = [((handler.target, 1), (entry, 0), True)]
        self.seen: Set[Tuple[Place, Place]] = set()
        self.ends: List[Place] = []
        self.numbers: Dict[int, int] = {}

    def is_one(self) -> bool:
        """Whether it is a copy, and ends in one place if it ends at all."""
        while self.work:
            if not self.follow(*self.work.pop()):
                return False
        return all(lead_alike(self.ends[0], other, _equal) for other in self.ends[1:])

    def end(self) -> Optional[Place]:
        """Where the copy ends; None if it never does."""
        return max(self.ends, key=lambda place: place[0].offset, default=None)

    def follow(self, mine: Place, theirs: Place, inside: bool) -> bool:
        """Straight on until control parts, or ends, or comes to where it has been."""
        while True:
            mine, theirs = past_jumps(mine), past_jumps(theirs)
            if mine == theirs or (mine, theirs) in self.seen:
                return True  # where both are one, so is all that follows, which may be the rest of the function
            self.seen.add((mine, theirs))
            one, other = _at(mine), _at(theirs)
            if one.op == "RERAISE" and inside and depth_at(*mine) == self.depth:
                self.ends.append(theirs)
                return True
            if _equal(one, other) or _numbers_annotation(mine) and _numbers_annotation(theirs):
                if one.op not in _LEAVES and one.op not in CANNOT_RAISE and not self.same_handlers(mine[0], theirs[0], inside):
                    return False
                if one.arg is not other.arg and _numbers_annotation(mine):
                    self.numbers[one.arg] = other.arg
                if one is mine[0].terminator:
                    return other is theirs[0].terminator and self.part(mine[0], theirs[0], inside)
                mine, theirs = (mine[0], mine[1] + 1), (theirs[0], theirs[1] + 1)
            elif one.op in _LEAVES or other.op in _LEAVES:
                mine, theirs = _past_leaving(mine), _past_leaving(theirs)
            else:
                return False

    def part(self, mine: Block, theirs: Block, inside: bool) -> bool:
        if len(mine.successors) != len(theirs.successors):
            return False
        ways = range(len(mine.successors))
        self.work.extend(((past_tests(mine, way), 0), (past_tests(theirs, way), 0), inside) for way in ways)
        return True

    def same_handlers(self, mine: Block, theirs: Block, inside: bool) -> bool:
        if mine.handler is theirs.handler:
            return True
        if mine.handler in (None, self.outer) or theirs.handler in (None, self.outer):
            return False
        assert mine.handler is not None and theirs.handler is not None
        self.handlers.update((mine.handler, theirs.handler))
        pair = ((mine.handler.target, 0), (theirs.handler.target, 0))
        if pair not in self.seen:
            self.work.append((*pair, inside and mine.handler.depth >= self.depth))
        return True


def _past_leaving(place: Place) -> Place:
    """What is left on the stack is dropped, in as many steps as there is: more in the handler than in a copy."""
    place = past_jumps(place)
    while _at(place).op in _LEAVES:
        place = past_jumps((place[0], place[1] + 1))
    return place


def _dropped_first(block: Block, end: Optional[Place]) -> List[Instruction]:
    """What is dropped before a copy begins: 3.8 has a place on the stack for what `finally` would return. Of a copy of nothing
    there is only the end, and what is dropped there follows it."""
    place, found = past_jumps((block, 0)), []
    while _at(place).op in ("POP", "SWAP") and place != end:
        found.append(_at(place))
        place = past_jumps((place[0], place[1] + 1))
    return found


def _at(place: Place) -> Instruction:
    return place[0].instructions[place[1]]


def _numbers_annotation(place: Place) -> bool:
    """Whether what is there is the number of an annotation, of which each copy of a statement has its own."""
    block, position = place
    if _at(place).op != "CONST" or not position or block.instructions[position + 1].op != "SET_ADD":
        return False
    return bool(block.instructions[position - 1].arg == CONDITIONAL_ANNOTATIONS)


def _equal(one: Instruction, other: Instruction) -> bool:
    if one.op != other.op:
        return False
    if one.op == "IMPORT":
        return one.arg[0] == other.arg[0] and bool(one.arg[1]) is bool(other.arg[1])  # what the handler forbids, a copy may allow
    if one.op == "BRANCH":
        return True  # successors stand in the order of true and false, whichever of them is jumped to
    if isinstance(one.arg, Case) and isinstance(other.arg, Case):
        mine, theirs = one.arg, other.arg
        return mine.pops == theirs.pops and same(mine.pattern, theirs.pattern) and same(mine.stores, theirs.stores)
    return same_constant(one.arg, other.arg)
