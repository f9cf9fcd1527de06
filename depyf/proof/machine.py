"""Runs one side silently up to its next event: constants, moves, shuffles, jumps and whatever `steps` finds silent.

A side stops before the instruction that is the event, so that running it again finds the same event.
"""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Optional, Set, Tuple

from depyf.bytecode.canonical import Block
from depyf.proof.events import BY_ARGUMENT, DIVERGE, FORK, LEAVE, NEXT, PLAIN, RAISE, RETURN, Event
from depyf.proof.state import Side, State
from depyf.proof.steps import STEPS, cut, enter_handler, raised
from depyf.proof.values import NULL, Values
from depyf.proof.verdict import unknown


def run(values: Values, state: State, side: Side, blocks: int) -> Event:
    """The next event of `side`; `blocks` is how many its graph has, to notice a loop without events."""
    watch = _Watch(blocks)
    while True:
        block = side.block
        if block is None:
            return Event(LEAVE, None, [state.resolve(side.stack[0])])
        event = _run_block(values, state, side, block)
        if event is not None:
            return event
        # what is left is the terminator
        event = _terminate(values, state, side, block)
        if event is not None:
            return event
        if watch.repeats(state, side):
            return Event(DIVERGE, None, [])


def _run_block(values: Values, state: State, side: Side, block: Block) -> Optional[Event]:
    """Run silently up to the block's terminator; the event if one comes first."""
    instructions, index = block.instructions, side.index
    stack, names, same, maybe, const = side.stack, side.locals, state.same, values.maybe, values.const
    last = len(instructions) - 1
    while index < last:
        instruction = instructions[index]
        op = instruction.op
        if op == "LOAD_LOCAL":
            number = names.get(instruction.arg, NULL)
            if number in same:
                number = state.resolve(number)
            if number == NULL or number in maybe:
                side.index = index
                if number == NULL:
                    return Event(RAISE, ("unbound local", instruction.arg), [])
                return Event("LOAD_LOCAL", instruction.arg, [number], 0, 1)
            stack.append(number)
        elif op == "CONST":
            stack.append(const(instruction.arg))
        elif op == "STORE_LOCAL":
            names[instruction.arg] = stack.pop()
        elif op in PLAIN or op in BY_ARGUMENT:
            side.index = index
            uses, pops, pushes = PLAIN[op] if op in PLAIN else BY_ARGUMENT[op](instruction.arg)
            operands = stack[-uses:] if uses else []
            if same:
                operands = [state.resolve(number) for number in operands]
            return Event(op, instruction.arg, operands, pops, pushes)
        elif op == "POP":
            stack.pop()
        elif op == "NULL":
            stack.append(NULL)
        elif op == "COPY":
            stack.append(stack[-instruction.arg])
        elif op == "SWAP":
            place = -instruction.arg
            stack[-1], stack[place] = stack[place], stack[-1]
        else:
            side.index = index
            step = STEPS.get(op)
            if step is None:
                raise unknown(f"the instruction {op} is not modelled")
            event = step(values, state, side, instruction.arg)
            if event is not None:
                return event
        index += 1
    side.index = last
    return None


def _terminate(values: Values, state: State, side: Side, block: Block) -> Optional[Event]:
    """Do what the terminator does, if that is silent; else the event."""
    instruction = block.instructions[-1]
    op, arg, stack = instruction.op, instruction.arg, side.stack
    if op == "FALL" or op == "JUMP":
        _go(side, block.successors[0])
    elif op == "BRANCH":
        number = state.resolve(stack[-1])
        if number != values.true and number != values.false:
            if number not in values.boolean:
                raise unknown("a branch on a value that is no bool")
            if block.successors[0] is not block.successors[1]:
                return Event(FORK, None, [number])
        stack.pop()
        _go(side, block.successors[0 if number == values.true else 1])
    elif op == "RETURN":
        return Event(RETURN, None, [state.resolve(stack[-1])])
    elif op == "NEXT":
        return Event(NEXT, None, [state.resolve(stack[-arg[0]])])
    elif op == "RAISE":
        current = state.resolve(side.exception)
        if arg == 0 and current in values.exceptions:  # `raise` in a handler raises again what it handles
            enter_handler(values, state, side, block.handler, current)
            return None
        return Event(RAISE, ("raise", arg), [state.resolve(number) for number in stack[len(stack) - arg :]])
    elif op == "RERAISE":
        enter_handler(values, state, side, block.handler, raised(values, state, side, arg[0]))
    elif op == "END_ASYNC_FOR":
        return _end_async_for(values, state, side, block, arg)
    else:
        raise unknown(f"the instruction {op} is not modelled")
    return None


def _end_async_for(values: Values, state: State, side: Side, block: Block, slots: int) -> Optional[Event]:
    """Whether the exception is StopAsyncIteration is a question to its type alone: no code runs."""
    exception = raised(values, state, side, 1 if slots < 4 else 3)
    stops = state.resolve(values.predicate("stops the asynchronous iteration", exception))
    if stops == values.true:
        side.exception = cut(values, state, side, len(side.stack) - slots)
        _go(side, block.successors[0])
    elif stops == values.false:
        enter_handler(values, state, side, block.handler, exception)
    else:
        return Event(FORK, None, [stops])
    return None


def _go(side: Side, block: Block) -> None:
    side.block = block
    side.index = 0
    if joins(block):
        side.merged = True


def joins(block: Block) -> bool:
    """Whether several paths come together here; the entry is reached once more than its predecessors say."""
    return len(block.predecessors) > 1 or block.index == 0


class _Watch:
    """Notices that a side runs on for ever without an event: it comes back to a block with nothing changed."""

    def __init__(self, blocks: int) -> None:
        self.left = blocks + 1
        self.limit = blocks * 3 + 64
        self.seen: Set[Tuple[Any, ...]] = set()

    def repeats(self, state: State, side: Side) -> bool:
        self.left -= 1
        if self.left > 0 or side.block is None:
            return False
        if -self.left > self.limit:
            raise unknown("too many steps without an event")
        now = (side.block.index, _snapshot(state, side))
        if now in self.seen:
            return True
        self.seen.add(now)
        return False


def _snapshot(state: State, side: Side) -> Tuple[Any, ...]:
    """All that a side can go on with. Containers are numbered as they are met and described by what they hold: silent steps do the
    same whichever ones they are."""
    places: Dict[int, int] = {}
    met: List[int] = []

    def describe(numbers: Iterable[int]) -> Tuple[Any, ...]:
        described: List[Any] = []
        for number in map(state.resolve, numbers):
            if number in state.heap and number not in places:
                places[number] = len(met)
                met.append(number)
            described.append(("container", places[number]) if number in places else number)
        return tuple(described)

    names, cells = sorted(side.locals), sorted(state.contents)
    values = [side.exception, *side.stack, *[side.locals[name] for name in names], *[state.contents[cell] for cell in cells]]
    found: List[Any] = [len(side.stack), tuple(names), tuple(cells), describe(values)]
    for number in met:  # grows meanwhile
        container = state.heap[number]
        found.append((container.kind, describe(container.items)))
    return tuple(found)
