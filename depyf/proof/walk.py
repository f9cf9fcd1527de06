"""The walk through both graphs at once: a node is a pair of program points with the equations that hold there.

Both sides run to their next events, which must agree; then the normal, branch and exception successors are walked in
turn. Nodes stand only where paths can meet. A node that is met again is weakened, and walked again if that changed it.
"""

from __future__ import annotations

import heapq
from types import CodeType
from typing import Any, Dict, List, Optional, Tuple

from depyf.bytecode.canonical import Block, Graph, Handler
from depyf.proof.entry import ARGUMENT, argument_names, entry_state
from depyf.proof.events import BOOLEAN, DIVERGE, FORK, LEAVE, NEXT, QUIET, RAISE, RETURN, Event
from depyf.proof.join import Heap, Node, join
from depyf.proof.liveness import Liveness
from depyf.proof.machine import joins, run
from depyf.proof.matching import match, stores_line
from depyf.proof.metadata import QualifiedNames
from depyf.proof.state import Container, Side, State
from depyf.proof.steps import LASTI, cut
from depyf.proof.values import FRAME_READERS, LOCALS_READERS, NULL, Values
from depyf.proof.verdict import different, unknown

_EVENTS_PER_INSTRUCTION = 30  # more than this, and the two are too different in shape to be compared
_MANY_LOCALS = 64
_LAST = 1 << 60  # where an exception that has left stands in the order of points

CodePair = Tuple[CodeType, CodeType]
Point = Tuple[Optional[Block], int, int]  # block, instruction, stack depth; no block: the exception has left


class Walk:
    """One comparison of two graphs. `run` returns None if they are equal; `codes` are the pairs still to be proven."""

    def __init__(self, first: Graph, second: Graph, names: QualifiedNames) -> None:
        self.values = Values()
        self.names = names
        self.graphs = (first, second)
        self.sizes = (len(first.blocks), len(second.blocks))
        names_read = {*first.code.co_names, *second.code.co_names}
        self.first_parameter = first.code.co_varnames[0] if first.code.co_argcount else None
        observed = not LOCALS_READERS.isdisjoint(names_read)
        always: Tuple[str, ...] = ()
        if observed:
            always = tuple(argument_names(first.code))
        elif self.first_parameter is not None and "super" in names_read:
            always = (self.first_parameter,)
        self.live = (Liveness(first, observed, always), Liveness(second, observed, always))
        size = sum(len(block.instructions) for graph in self.graphs for block in graph.blocks)
        self.budget = 2000 + _EVENTS_PER_INSTRUCTION * size
        self.nodes: Dict[Any, Node] = {}
        self.queue: List[Tuple[Tuple[int, ...], Any]] = []
        self.codes: List[CodePair] = []
        self.signatures: Dict[Any, Any] = {}
        self.outside = NULL  # the exception that is being handled when the frame is entered
        self.state: Optional[State] = None  # the one being walked, for the report

    def run(self) -> None:
        """Walk until nothing changes; raises Failure."""
        start = entry_state(self.values, *self.graphs)
        start.first_parameter = self.first_parameter
        self.outside = start.a.exception
        self._walk(start)
        while self.queue:
            _, key = heapq.heappop(self.queue)
            node = self.nodes[key]
            node.pending = False
            self._walk(self._materialise(node))

    def offsets(self) -> Optional[Tuple[Optional[int], Optional[int]]]:
        """Where the walk stands, for the report."""
        if self.state is None:
            return None
        first, second = self.state.a, self.state.b
        return first.offset if first.block else None, second.offset if second.block else None

    def path(self) -> Tuple[str, ...]:
        """The events that led there, for the report."""
        words: List[str] = []
        trail = self.state.trail if self.state is not None else None
        while trail is not None:
            trail, kind, static, first, second = trail
            if kind == FORK:
                text = f"{self.values.describe(static[0])} is {static[1]}"
            else:
                text = Event(kind, static, []).words()
            words.append(f"{text} (at {first} and {second})")
        return tuple(reversed(words))

    # --- one stretch between nodes -----------------------------------------------------------------------------

    def _walk(self, start: State) -> None:
        todo = [start]
        values = self.values
        while todo:
            state = self.state = todo.pop()
            while True:
                a, b = state.a, state.b
                first = run(values, state, a, self.sizes[0])
                second = run(values, state, b, self.sizes[1])
                merged = a.merged or b.merged
                fork = first.kind == FORK or second.kind == FORK
                again = first.again or second.again
                decides = again and self._decides(first, second)
                if again and not decides and (merged or not fork) and self._skip(state, first, second):
                    continue
                endless = first.kind == DIVERGE or second.kind == DIVERGE  # such a side stands nowhere
                if merged and not endless and not decides and not self._forks_alone(state, first, second):
                    self._meet_here(state)
                    break
                if fork:
                    boolean = self._decided_first(first, second)
                    self._spend()
                    self._prune(state)
                    other = state.copy()
                    other.learn(values, boolean, False)
                    todo.append(other)
                    state.learn(values, boolean, True)
                    offsets = (a.offset, b.offset)
                    state.trail = (state.trail, FORK, (boolean, True), *offsets)
                    other.trail = (other.trail, FORK, (boolean, False), *offsets)
                    continue
                self._spend()
                if first.kind != second.kind and self._is_own_iterator(state, first, second):
                    continue
                self.codes += match(values, state, first, second, self.names)
                if first.kind in (RETURN, LEAVE, DIVERGE):
                    break
                if first.kind not in QUIET:
                    self._raise(state, first)
                if first.kind == RAISE:
                    break
                self._complete(state, first, second, todo)

    def _decides(self, first: Event, second: Event) -> bool:
        """Whether one side branches on a test that the other makes again: then the branch comes first, since what is behind it
        may test again, too. Only once for each test, for its outcome is known then."""
        fork, other = (first, second) if first.kind == FORK else (second, first)
        return fork.kind == FORK and bool(other.again) and fork.operands[0] in (other.again, self.values.negate(other.again))

    def _forks_alone(self, state: State, first: Event, second: Event) -> bool:
        """Whether a side branches that came there on one path only, while the other side stands where paths meet: then it branches
        before the two meet, for what is known of truth and cells is forgotten there, and may be what the branch leads to.

        There is an end to it: what branches without end comes by a place where its own paths meet."""
        return any(event.kind == FORK and not side.merged for side, event in ((state.a, first), (state.b, second)))

    def _decided_first(self, first: Event, second: Event) -> int:
        """The boolean to learn next, of one side's branch or the other's: what an event gave, before what is computed from values.

        Either is right. But what is learned is forgotten where paths meet, and the other side may compute the same only behind."""
        booleans = [event.operands[0] for event in (first, second) if event.kind == FORK]
        given = [number for number in booleans if not self.values.is_computed(number)]
        return given[0] if given else booleans[0]

    def _skip(self, state: State, first: Event, second: Event) -> bool:
        """Pass over a truth test that only one side makes again; whether there was one.

        The outcome is taken to be that of the test before, as CPython's jump threading does. If both sides test again,
        that is an event like any other; so is a test in a loop that does nothing but test.
        """
        if first.kind == second.kind and first.operands == second.operands:
            return False
        side, event = (state.a, first) if first.again else (state.b, second)
        assert side.block is not None
        place = (side.number, side.block.index, side.index)
        if place in state.skipped:
            state.truth.clear()
        else:
            state.skipped.add(place)
            side.stack[-1] = self.values.negate(event.again) if event.inverted else event.again
            side.index += 1
        return True

    def _is_own_iterator(self, state: State, first: Event, second: Event) -> bool:
        """Pass over an ITER that one side applies to what the other side takes as an iterator at this very moment.

        An argument that FOR_ITER works on without an ITER before it, such as a generator expression's, is taken to be its
        own iterator, as what iter() gives has to be. Other values may be none: code that steps them is broken, or is not.
        """
        if first.kind == NEXT and second.kind == "ITER":
            side, event, number = state.b, second, first.operands[0]
        elif first.kind == "ITER" and second.kind == NEXT:
            side, event, number = state.a, first, second.operands[0]
        else:
            return False
        if event.operands[0] != number or self.values.origin.get(number, ("",))[0] != ARGUMENT:
            return False
        _advance(self.values, side, event, [number])
        return True

    def _spend(self) -> None:
        self.budget -= 1
        if self.budget < 0:
            raise unknown("the two differ too much in shape: too many pairs of points")

    def _prune(self, state: State) -> None:
        """Forget locals that are not read any more, before the state is copied."""
        for side in (state.a, state.b):
            if len(side.locals) > _MANY_LOCALS and side.block is not None:
                names = self.live[side.number].names(side.block, side.index)
                if 2 * len(names) < len(side.locals):
                    side.locals = {name: side.locals[name] for name in names if name in side.locals}

    def _complete(self, state: State, first: Event, second: Event, todo: List[State]) -> None:
        """Both sides go on after the event, with the same results."""
        values = self.values
        kind = first.kind
        state.trail = (state.trail, first.kind, first.static, state.a.offset, state.b.offset)
        if kind == NEXT:
            self._iterate(state, todo)
        else:
            results = [values.result(kind, first.static) for _ in range(first.pushes)]
            if kind in BOOLEAN:
                values.boolean.update(results)
            self._remember(state, first, results)
            for side, event in ((state.a, first), (state.b, second)):
                _advance(values, side, event, results)
        if kind not in QUIET and kind not in ("LOAD_CELL", "DELETE_CELL", "LOAD_LOCAL", "DELETE_LOCAL"):
            state.contents.clear()
        if kind != "TRUTH":
            state.truth.clear()
        state.skipped.clear()

    def _remember(self, state: State, event: Event, results: List[int]) -> None:
        """What the event says about cells, truth and names."""
        kind, operands = event.kind, event.operands
        if kind == "TRUTH":
            state.truth = {operands[0]: results[0]}
        elif kind == "LOAD_GLOBAL" or kind == "LOAD_NAME":
            if event.static in FRAME_READERS:
                self.values.frame_readers[results[0]] = event.static
        elif kind == "LOAD_ATTR":
            if _for_call(state.a) or _for_call(state.b):
                self.values.for_call.add(results[0])
        elif kind == "LOAD_CELL":
            state.contents[operands[0]] = results[0]
        elif kind == "STORE_CELL":
            state.contents[operands[0]] = state.resolve(operands[1])
            if stores_line(self.values, event):  # which need not be the same on both sides
                del state.contents[operands[0]]
        elif kind == "DELETE_CELL":
            state.contents[operands[0]] = NULL
        elif kind == "LOAD_LOCAL":
            state.same[operands[0]] = results[0]
        elif kind == "DELETE_LOCAL":
            for side in (state.a, state.b):
                side.locals[_argument(side)] = NULL
        elif kind == "MAKE_CELL":
            cell = self.values.result(kind, event.static)
            state.contents[cell] = state.resolve(operands[0])
            for side in (state.a, state.b):
                side.locals[_argument(side)] = cell

    def _iterate(self, state: State, todo: List[State]) -> None:
        done = state.copy()
        value = self.values.result(NEXT, None)
        for side in (state.a, state.b):
            assert side.block is not None
            side.stack.append(value)
            _enter(side, side.block.successors[0])
        for side in (done.a, done.b):
            assert side.block is not None
            slots, pops = side.block.terminator.arg
            if pops:
                del side.stack[-slots:]
            _enter(side, side.block.successors[1])
        done.contents.clear()
        done.truth.clear()
        done.skipped.clear()
        done.trail = (done.trail, "the iterator is exhausted", None, state.a.offset, state.b.offset)
        todo.append(done)

    # --- exceptions --------------------------------------------------------------------------------------------

    def _raise(self, state: State, event: Event) -> None:
        """Relate the handlers of both sides, or that the exception leaves. Both saw the same event raise."""
        a, b = state.a, state.b
        assert a.block is not None and b.block is not None
        first, second = a.block.handler, b.block.handler
        if first is None and second is None:
            if state.resolve(a.exception) != self.outside:
                self._leave_handlers(state)
            return
        exception = self.values.result("the exception of " + event.kind, event.static)
        self.values.exceptions.add(exception)
        parts = [self._thrown(state, side, handler) for side, handler in ((a, first), (b, second))]
        key = tuple([number for point, _, _ in parts for number in point])
        signature = None
        if not state.heap:  # the handler has seen these very values
            signature = tuple([number for _, stack, rest in parts for number in stack + rest])
            if self.signatures.get(key) == signature:
                return
            self.signatures[key] = signature
        vector = [number for _, stack, rest in parts for number in (*stack, exception, *rest)]
        trail = (state.trail, event.kind + " raises", event.static, a.offset, b.offset)
        points = [
            (None if handler is None else handler.target, 0, len(stack) + 1)
            for handler, (_, stack, _) in zip((first, second), parts)
        ]
        self._meet(key, points, vector, state.heap, trail)

    def _leave_handlers(self, state: State) -> None:
        """The exception leaves both frames from inside of a handler: what was handled outside must be so again."""
        left = [self._thrown(state, side, None)[2] for side in (state.a, state.b)]
        if left[0] != left[1]:
            raise different("the exceptions being handled after an exception has left the frame differ")

    def _thrown(
        self, state: State, side: Side, handler: Optional[Handler]
    ) -> Tuple[Tuple[int, int], List[int], List[int]]:
        """The point, the stack below the exception, and the other slots."""
        values, resolve = self.values, state.resolve
        frame = Side(side.number, side.block, side.index, side.stack[:], {}, side.exception)
        current = cut(values, state, frame, 0 if handler is None else handler.depth)
        if handler is None:
            return (_LAST, 0), [], [resolve(current)]
        stack = [resolve(number) for number in frame.stack]
        if handler.lasti:
            stack.append(values.apply(LASTI))
        names = self.live[side.number].names(handler.target, 0)
        rest = [resolve(side.locals.get(name, NULL)) for name in names]
        rest.append(resolve(current))
        return (handler.target.index, 0), stack, rest

    # --- nodes -------------------------------------------------------------------------------------------------

    def _meet_here(self, state: State) -> None:
        """Both sides stand before an event that can be reached on several paths."""
        resolve = state.resolve
        key: List[int] = []
        vector: List[int] = []
        points: List[Point] = []
        for side in (state.a, state.b):
            block, names = side.block, side.locals
            key += (_LAST, 0) if block is None else (block.index, side.index)
            points.append((block, side.index, len(side.stack)))
            vector += map(resolve, side.stack)
            vector += [resolve(names.get(name, NULL)) for name in self._names(side.number, block, side.index)]
            vector.append(resolve(side.exception))
        self._meet(tuple(key), points, vector, state.heap, state.trail)

    def _names(self, number: int, block: Optional[Block], index: int) -> Tuple[str, ...]:
        return () if block is None else self.live[number].names(block, index)

    def _meet(self, key: Any, points: List[Point], vector: List[int], heap: Heap, trail: Any) -> None:
        state = self.state
        assert state is not None
        heap = _reachable(state, vector, heap) if heap else {}
        node = self.nodes.get(key)
        if node is None:
            node = self.nodes[key] = Node(key, points, vector, heap, trail)
        elif len(node.vector) != len(vector):
            raise unknown("stack depths differ where paths meet")
        elif not join(self.values, node, vector, heap, lambda: self._hints(points)):
            return
        if not node.pending:
            node.pending = True
            heapq.heappush(self.queue, (key, key))

    def _hints(self, points: List[Point]) -> List[Tuple[int, int]]:
        """Positions in the vector of slots that may well correspond: stacks from the top, locals of one name."""
        (block, index, depth), (other, place, height) = points
        names, others = self._names(0, block, index), self._names(1, other, place)
        start = depth + len(names) + 1
        found = [(depth - k, start + height - k) for k in range(1, min(depth, height) + 1)]
        position = {name: start + height + i for i, name in enumerate(others)}
        return found + [(depth + i, position[name]) for i, name in enumerate(names) if name in position]

    def _materialise(self, node: Node) -> State:
        """The state that a node stands for."""
        vector = node.vector
        position = 0
        sides: List[Side] = []
        for number, (block, index, depth) in enumerate(node.points):
            names = self._names(number, block, index)
            stack = vector[position : position + depth]
            position += depth
            values = vector[position : position + len(names)]
            position += len(names)
            sides.append(Side(number, block, index, stack, dict(zip(names, values)), vector[position]))
            position += 1
        state = State(*sides)
        state.heap = {n: Container(c.kind, c.items[:], c.side) for n, c in node.heap.items()}
        state.trail = node.trail
        state.first_parameter = self.first_parameter
        return state


def _advance(values: Values, side: Side, event: Event, results: List[int]) -> None:
    """The stack after the event; on to the next instruction."""
    stack = side.stack
    if event.pops:
        del stack[-event.pops :]
    if event.inverted:
        stack.append(values.negate(results[0]))
    else:
        stack += results
    if event.nulls:
        stack += [NULL] * event.nulls
    side.index += 1


def _enter(side: Side, block: Block) -> None:
    side.block = block
    side.index = 0
    side.merged = joins(block)


def _for_call(side: Side) -> bool:
    """Whether the instruction is the first part of one that loads a method."""
    assert side.block is not None
    instruction, after = side.block.instructions[side.index : side.index + 2]
    return after.op == "NULL" and after.offset == instruction.offset


def _argument(side: Side) -> str:
    assert side.block is not None
    return str(side.block.instructions[side.index].arg)


def _reachable(state: State, vector: List[int], heap: Heap) -> Heap:
    """The containers that the vector refers to, with resolved items."""
    found: Heap = {}
    work = [number for number in vector if number in heap]
    while work:
        number = work.pop()
        if number not in found:
            container = heap[number]
            items = [state.resolve(item) for item in container.items]
            found[number] = Container(container.kind, items, container.side)
            work += [item for item in items if item in heap]
    return found
