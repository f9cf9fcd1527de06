"""The stack at the borders of blocks: what a block begins with, given all ways into it."""

from __future__ import annotations

from typing import Callable, Dict, List, Sequence, Set, Tuple

from depyf.bytecode.canonical import Block, Handler

from ..tree import Expr
from .values import Caught, Held, Joined, Marker, Opaque


class State:
    """The stack at a block's border, and which of its values are pending, in the order of their evaluation.

    `tests` decided nothing and wait for the value that is evaluated next (see `tested`)."""

    __slots__ = ("stack", "pending", "tests")

    def __init__(self, stack: List[Expr], pending: List[Expr], tests: Sequence[Expr] = ()) -> None:
        self.stack = stack
        self.pending = pending
        self.tests = tests


NOTHING = State([], [])  # between most statements; one for all, as nobody changes a state


def entry_state(
    states: List[State],
    block: Block,
    forced: Set[Tuple[int, int]],
    same_value: Callable[[Expr, Expr], bool] = lambda a, b: a is b,
) -> State:
    """The state a block begins with: what all ways in agree on, and a block parameter where they differ."""
    first = states[0]
    if len(states) == 1 and not forced:
        return first
    stack: List[Expr] = []
    joined: Dict[int, Joined] = {}
    for slot, value in enumerate(first.stack):
        same = all(slot < len(s.stack) and same_value(s.stack[slot], value) for s in states[1:])
        if not same and isinstance(value, Marker):
            same = all(isinstance(s.stack[slot], type(value)) for s in states[1:])
        if (block.index, slot) in forced or not same:
            joined[slot] = Joined(block, slot)
            value = joined[slot]
        stack.append(value)
    alive = {id(v) for v in stack}
    pending: List[Expr] = [v for v in first.pending if id(v) in alive]
    pending.extend(joined[slot] for slot in sorted(joined))
    return State(stack, pending, first.tests)


def cross(state: State) -> State:
    """A statement begins that no expression can hold: what is pending is kept where it was computed."""
    for value in state.pending:
        if isinstance(value, (Held, Joined)):
            value.crossed = True
    return State(state.stack, [], state.tests)


def handler_state(handler: Handler, covered: State) -> State:
    """The state an exception handler begins with."""
    stack = covered.stack[: handler.depth]
    if handler.lasti:
        stack = stack + [Opaque("lasti")]
    stack = stack + [Caught(handler, "value")]
    alive = {id(v) for v in stack}
    return State(stack, [v for v in covered.pending if id(v) in alive])
