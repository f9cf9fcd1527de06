"""Where both frames are during the walk, and what their slots hold, as numbers of `values`.

A `Side` is one frame: its program point, stack, locals and current exception. A `State` is both, with what is known on
this path alone. A container that was built in a frame and has not escaped is in `heap`, under a number of its own.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Set, Tuple

from depyf.bytecode.canonical import Block
from depyf.proof.values import NULL, Values

# (what came before, words, offset in the first, offset in the second)
Trail = Optional[Tuple[Any, str, Any, int, int]]

_COMPACT = 48  # more path knowledge than this is worked into the slots


class Container:
    """A fresh container: 'list', 'tuple' or 'slice' of items, 'dict' of keys and values in turn, 'set' of additions."""

    __slots__ = ("kind", "items", "side")

    def __init__(self, kind: str, items: List[int], side: int) -> None:
        self.kind = kind
        self.items = items
        self.side = side


class Side:
    """One frame. `block` is None after an exception has left it: the stack then holds just that exception."""

    __slots__ = ("number", "block", "index", "stack", "locals", "exception", "merged")

    def __init__(
        self, number: int, block: Optional[Block], index: int, stack: List[int], names: Dict[str, int], exception: int
    ) -> None:
        self.number = number
        self.block = block
        self.index = index
        self.stack = stack
        self.locals = names
        self.exception = exception  # the one that `raise` and sys.exc_info() would see
        self.merged = False  # since the last event, control came to a block that has several predecessors

    def copy(self) -> Side:
        other = Side(self.number, self.block, self.index, self.stack[:], self.locals.copy(), self.exception)
        other.merged = self.merged
        return other

    @property
    def offset(self) -> int:
        return -1 if self.block is None else self.block.instructions[self.index].offset


class State:
    """Both frames and what is known on this path: the walk changes it in place and copies it where it forks."""

    __slots__ = ("a", "b", "same", "truth", "contents", "heap", "trail", "first_parameter", "skipped")

    def __init__(self, a: Side, b: Side) -> None:
        self.a = a
        self.b = b
        self.same: Dict[int, int] = {}  # numbers that turned out to be others on this path
        self.truth: Dict[int, int] = {}  # truth tests made since the last event that could change their outcome
        self.contents: Dict[int, int] = {}  # cell -> what it holds, until an event may change it
        self.heap: Dict[int, Container] = {}
        self.trail: Trail = None
        self.first_parameter: Optional[str] = None
        self.skipped: Set[Tuple[int, int, int]] = set()  # where a side's truth test, made again, was passed over

    def copy(self) -> State:
        other = State(self.a.copy(), self.b.copy())
        other.same = self.same.copy()
        other.truth = self.truth.copy()
        other.contents = self.contents.copy()
        other.heap = {n: Container(c.kind, c.items[:], c.side) for n, c in self.heap.items()}
        other.trail = self.trail
        other.first_parameter = self.first_parameter
        other.skipped = self.skipped.copy()
        return other

    def resolve(self, number: int) -> int:
        same = self.same
        while number in same:
            number = same[number]
        return number

    def learn(self, values: Values, boolean: int, outcome: bool) -> None:
        """On this path the boolean is True, or False."""
        term = values.term.get(boolean)
        while term is not None and term[0] == "not":
            boolean, outcome = term[1], not outcome
            term = values.term.get(boolean)
        self.same[boolean] = values.true if outcome else values.false
        self.same[values.negate(boolean)] = values.false if outcome else values.true
        if len(self.same) > _COMPACT:
            self._compact()

    def _compact(self) -> None:
        """Work what is known of this path into the slots, and forget it."""
        resolve = self.resolve
        for side in (self.a, self.b):
            side.stack[:] = map(resolve, side.stack)
            for name, number in side.locals.items():
                side.locals[name] = resolve(number)
            side.exception = resolve(side.exception)
        self.contents = {resolve(cell): resolve(value) for cell, value in self.contents.items()}
        for container in self.heap.values():
            container.items[:] = map(resolve, container.items)
        self.truth = {resolve(value): resolve(outcome) for value, outcome in self.truth.items()}
        self.same.clear()

    def new_container(self, values: Values, kind: str, items: List[int], side: int) -> int:
        number = values.fresh()
        self.heap[number] = Container(kind, items, side)
        return number

    def bind(self, name: str, side: Side) -> int:
        return self.resolve(side.locals.get(name, NULL))
