"""Instructions that are silent or events depending on what is known: variables, cells, truth, calls, exceptions.

The same signature as in `containers`: None when the step was silent, else the event that comes next.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Tuple

from depyf.bytecode.canonical import BELOW, NONE, Handler
from depyf.proof import containers
from depyf.proof.containers import fresh, plain_event, sequence
from depyf.proof.events import RAISE, Event
from depyf.proof.folding import fold_binary, fold_unary
from depyf.proof.state import Side, State
from depyf.proof.values import NULL, Values
from depyf.proof.verdict import unknown

Step = Callable[[Values, State, Side, Any], Optional[Event]]

LASTI = "saved position"  # what a handler that asks for it finds below the exception


# --- variables -----------------------------------------------------------------------------------------------------


def load_clear(values: Values, state: State, side: Side, name: str) -> Optional[Event]:
    side.stack.append(side.locals.get(name, NULL))
    side.locals[name] = NULL
    return None


def delete_local(values: Values, state: State, side: Side, name: str) -> Optional[Event]:
    number = state.bind(name, side)
    if number == NULL:
        return Event(RAISE, ("unbound local", name), [])
    if number in values.maybe:
        return Event("DELETE_LOCAL", name, [number])
    side.locals[name] = NULL
    return None


def make_cell(values: Values, state: State, side: Side, name: str) -> Optional[Event]:
    """Only cells made in the middle of the code come here; the entry state has those of the prologue."""
    return Event("MAKE_CELL", name, [state.bind(name, side)], 0, 0)


def load_cell(values: Values, state: State, side: Side, name: str) -> Optional[Event]:
    cell = _cell(values, state, side, name)
    held = state.contents.get(cell, NULL)
    if held == NULL or held in values.maybe:
        return Event("LOAD_CELL", name, [cell], 0, 1)
    side.stack.append(held)
    return None


def store_cell(values: Values, state: State, side: Side, name: str) -> Optional[Event]:
    return Event("STORE_CELL", None, [_cell(values, state, side, name), state.resolve(side.stack[-1])], 1)


def delete_cell(values: Values, state: State, side: Side, name: str) -> Optional[Event]:
    return Event("DELETE_CELL", name, [_cell(values, state, side, name)])


def load_closure(values: Values, state: State, side: Side, name: str) -> Optional[Event]:
    side.stack.append(_cell(values, state, side, name))
    return None


def load_dict_or_cell(values: Values, state: State, side: Side, name: str) -> Optional[Event]:
    return Event("LOAD_DICT_OR_CELL", name, [state.resolve(side.stack[-1]), _cell(values, state, side, name)], 1, 1)


def _cell(values: Values, state: State, side: Side, name: str) -> int:
    if values.separate_cells:
        return values.apply("cell", name)
    number = state.bind(name, side)
    if number == NULL:
        raise unknown(f"no cell {name!r}")
    return number


# --- pure operators ------------------------------------------------------------------------------------------------


def test(values: Values, state: State, side: Side, arg: Any) -> Optional[Event]:
    return _test(values, state, side, False)


def negation(values: Values, state: State, side: Side, arg: Any) -> Optional[Event]:
    return _test(values, state, side, True)


def _test(values: Values, state: State, side: Side, inverted: bool) -> Optional[Event]:
    number = state.resolve(side.stack[-1])
    if number in values.boolean:
        outcome = number
    else:
        known = containers.truth(values, state, number)
        if known is not None:
            outcome = values.true if known else values.false
        else:
            again = state.resolve(state.truth.get(number, NULL))
            return Event("TRUTH", None, [number], 1, 1, inverted, 0, again)
    side.stack[-1] = values.negate(outcome) if inverted else outcome
    return None


def identity(values: Values, state: State, side: Side, inverted: bool) -> Optional[Event]:
    first, second = map(state.resolve, side.stack[-2:])
    if first in state.heap or second in state.heap:  # what has not escaped is identical to itself only
        for one, other in ((first, second), (second, first)):
            if one != other and other not in values.constant and containers.is_closure(values, state, state.heap.get(one)):
                raise unknown("the identity of a tuple of cells")
        outcome = values.true if first == second else values.false
    else:
        outcome = state.resolve(values.identical(first, second))
    side.stack[-2:] = [values.negate(outcome) if inverted else outcome]
    return None


def contains(values: Values, state: State, side: Side, inverted: bool) -> Optional[Event]:
    return Event("CONTAINS", None, [state.resolve(number) for number in side.stack[-2:]], 2, 1, inverted)


def compare(values: Values, state: State, side: Side, operator: str) -> Optional[Event]:
    """Equal or not is known of constants that are keys of one type; the rest is an event."""
    first, second = map(state.resolve, side.stack[-2:])
    if operator in ("==", "!=") and values.is_key(first) and values.is_key(second) and values.same_type(first, second):
        outcome = (first == second) == (operator == "==")
        side.stack[-2:] = [values.true if outcome else values.false]
        return None
    return Event("COMPARE", operator, [first, second], 2, 1)


def unary(values: Values, state: State, side: Side, operator: str) -> Optional[Event]:
    number = state.resolve(side.stack[-1])
    folded = fold_unary(values, operator, number)
    if folded is None:
        return Event("UNARY", operator, [number], 1, 1)
    side.stack[-1] = folded
    return None


def binary(op: str) -> Step:
    """BINARY and INPLACE, which are the same for constants."""

    def step(values: Values, state: State, side: Side, operator: str) -> Optional[Event]:
        first, second = map(state.resolve, side.stack[-2:])
        if values.is_constant(first) and values.is_constant(second):
            folded = fold_binary(values, operator, first, second)
            if folded is not None:
                side.stack[-2:] = [folded]
                return None
        elif state.heap and containers.concatenate(values, state, side, op, operator):
            return None
        return Event(op, operator, [first, second], 2, 1)

    return step


def builtin(values: Values, state: State, side: Side, name: str) -> Optional[Event]:
    side.stack.append(values.apply("builtin", name))
    return None


def match_kind(kind: str, containers_of_it: Tuple[str, ...]) -> Step:
    """MATCH_MAPPING and MATCH_SEQUENCE look at a flag of the type: no code runs."""

    def step(values: Values, state: State, side: Side, arg: Any) -> Optional[Event]:
        number = state.resolve(side.stack[-1])
        container = state.heap.get(number)
        if container is not None:
            outcome = values.true if container.kind in containers_of_it else values.false
        else:
            outcome = state.resolve(values.predicate(kind, number))
        side.stack.append(outcome)
        return None

    return step


def get_len(values: Values, state: State, side: Side, arg: Any) -> Optional[Event]:
    items = sequence(values, state, state.resolve(side.stack[-1]))
    if items is None:
        return plain_event("GET_LEN", None, state, side, 1, 0, 1)
    side.stack.append(values.const(len(items)))
    return None


def iterate(op: str) -> Step:
    def step(values: Values, state: State, side: Side, slots: int) -> Optional[Event]:
        return Event(op, None, [state.resolve(side.stack[-1])], 1, 1, False, slots - 1)

    return step


# --- calls ---------------------------------------------------------------------------------------------------------


def _callee(numbers: List[int], null: str) -> List[int]:
    """The callable, and the first argument if there is one in the slot for self."""
    if null == NONE:
        return numbers
    first, second = numbers
    if null == BELOW:
        return [second] if first == NULL else numbers
    return [first] if second == NULL else numbers


def call(values: Values, state: State, side: Side, arg: Tuple[int, str]) -> Optional[Event]:
    count, null = arg
    slots = count + (1 if null == NONE else 2)
    numbers = [state.resolve(number) for number in side.stack[-slots:]]
    operands = _callee(numbers[: slots - count], null) + numbers[slots - count :]
    return Event("CALL", (len(operands) - 1, ()), operands, slots, 1)


def call_kw(values: Values, state: State, side: Side, arg: Tuple[int, str]) -> Optional[Event]:
    count, null = arg
    slots = count + (1 if null == NONE else 2)
    names = values.items.get(state.resolve(side.stack[-1]))
    if names is None or len(names) > count:
        raise unknown("a call whose keyword names are no constant")
    numbers = [state.resolve(number) for number in side.stack[-slots - 1 : -1]]
    operands = _callee(numbers[: slots - count], null) + numbers[slots - count :]
    keywords = tuple(values.constant.get(name) for name in names)
    return Event("CALL", (len(operands) - 1 - len(keywords), keywords), operands, slots + 1, 1)


def call_ex(values: Values, state: State, side: Side, arg: Tuple[bool, str]) -> Optional[Event]:
    """Arguments in fresh containers of known size are the same call as arguments on the stack."""
    has_kwargs, null = arg
    slots = (2 if has_kwargs else 1) + (1 if null == NONE else 2)
    numbers = [state.resolve(number) for number in side.stack[-slots:]]
    kwargs = numbers.pop() if has_kwargs else NULL
    positional = sequence(values, state, numbers[-1])
    callee = _callee(numbers[:-1], null)
    keywords = fresh(state, kwargs, "dict")
    if keywords is not None and not keywords.items:
        kwargs, keywords = NULL, None  # `**{}` passes nothing
    names = None if keywords is None else [values.constant.get(key) for key in keywords.items[::2]]
    if kwargs == NULL:
        names = []
    if positional is None or names is None or any(type(name) is not str for name in names):
        return Event("CALL_EX", len(callee), [*callee, numbers[-1], kwargs], slots, 1)
    operands = callee + [state.resolve(item) for item in positional]
    count = len(operands) - 1
    if keywords is not None:
        operands += [state.resolve(value) for value in keywords.items[1::2]]
    return Event("CALL", (count, tuple(names)), operands, slots, 1)


# --- exceptions ----------------------------------------------------------------------------------------------------


def enter_handler(values: Values, state: State, side: Side, handler: Optional[Handler], exception: int) -> None:
    """The exception goes to the handler, or leaves the frame."""
    if handler is None:
        side.exception = cut(values, state, side, 0)
        side.block = None
        side.index = 0
        side.stack.append(exception)
        side.locals = {}
        return
    side.exception = cut(values, state, side, handler.depth)
    if handler.lasti:
        side.stack.append(values.apply(LASTI))
    side.stack.append(exception)
    side.block = handler.target
    side.index = 0
    side.merged = True


def cut(values: Values, state: State, side: Side, depth: int) -> int:
    """Cut the stack; what is then the current exception. Up to 3.10 unwinding restores what EXC_ENTER has saved."""
    exception = side.exception
    if len(side.stack) < depth:
        raise unknown("an exception where the stack is lower than its handler expects")
    for number in reversed(side.stack[depth:]):
        term = values.term.get(state.resolve(number))
        if term is not None and term[0] == "saved":
            exception = term[1]
    del side.stack[depth:]
    return exception


def push_exc(values: Values, state: State, side: Side, arg: Any) -> Optional[Event]:
    exception = side.stack[-1]
    side.stack[-1:] = [side.exception, exception]
    side.exception = exception
    return None


def exc_enter(values: Values, state: State, side: Side, arg: Any) -> Optional[Event]:
    exception, previous = state.resolve(side.stack.pop()), state.resolve(side.exception)
    for function in ("saved traceback", "saved", "saved type"):
        side.stack.append(values.apply(function, previous))
    side.stack += (values.apply("traceback", exception), exception, values.apply("type", exception))
    side.exception = exception
    return None


def pop_except(values: Values, state: State, side: Side, slots: int) -> Optional[Event]:
    if slots == 1:
        side.exception = side.stack.pop()
        return None
    term = values.term.get(state.resolve(side.stack[-2]))
    if term is None or term[0] != "saved":
        raise unknown("the end of a handler without the exception that was saved at its start")
    del side.stack[-slots:]
    side.exception = term[1]
    return None


def raised(values: Values, state: State, side: Side, slots: int) -> int:
    """The exception that RERAISE raises again."""
    if slots == 1:
        return state.resolve(side.stack[-1])
    traceback, value, kind = map(state.resolve, side.stack[-3:])
    if traceback == values.apply("traceback", value) and kind == values.apply("type", value):
        return value
    return values.apply("raised", traceback, value, kind)


def with_except(values: Values, state: State, side: Side, arg: Tuple[int, int]) -> Optional[Event]:
    depth, slots = arg
    stack = side.stack
    place = len(stack) - depth
    operands = stack[place : place + slots]
    term = values.term.get(state.resolve(stack[-1]))
    operands += stack[-3:] if term is not None and term[0] == "type" else stack[-1:]
    return Event("WITH_EXCEPT", None, [state.resolve(number) for number in operands], 0, 1)


STEPS: Dict[str, Step] = {
    "LOAD_CLEAR": load_clear,
    "DELETE_LOCAL": delete_local,
    "MAKE_CELL": make_cell,
    "LOAD_CELL": load_cell,
    "STORE_CELL": store_cell,
    "DELETE_CELL": delete_cell,
    "LOAD_CLOSURE": load_closure,
    "LOAD_DICT_OR_CELL": load_dict_or_cell,
    "TRUTH": test,
    "NOT": negation,
    "IS": identity,
    "CONTAINS": contains,
    "COMPARE": compare,
    "UNARY": unary,
    "BINARY": binary("BINARY"),
    "INPLACE": binary("INPLACE"),
    "BUILTIN": builtin,
    "MATCH_MAPPING": match_kind("MAPPING", ("dict",)),
    "MATCH_SEQUENCE": match_kind("SEQUENCE", ("list", "tuple")),
    "GET_LEN": get_len,
    "ITER": iterate("ITER"),
    "YIELD_FROM_ITER": iterate("YIELD_FROM_ITER"),
    "CALL": call,
    "CALL_KW": call_kw,
    "CALL_EX": call_ex,
    "PUSH_EXC": push_exc,
    "EXC_ENTER": exc_enter,
    "POP_EXCEPT": pop_except,
    "WITH_EXCEPT": with_except,
    **containers.STEPS,
}
