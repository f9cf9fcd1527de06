"""Whether the next events of both sides are the same: kind, names and constants, operands, current exception.

Fresh containers among the operands escape here: both sides must have built them alike, aliases included, and from then
on they are one opaque value.
"""

from __future__ import annotations

from types import CodeType
from typing import Dict, List, Optional, Tuple

from depyf.proof.containers import is_closure
from depyf.proof.events import LEAVE, QUIET, RETURN, Event
from depyf.proof.metadata import QualifiedNames
from depyf.proof.state import Side, State
from depyf.proof.values import NULL, Values
from depyf.proof.verdict import Failure, different, unknown

CodePair = Tuple[CodeType, CodeType]


def match(values: Values, state: State, first: Event, second: Event, names: QualifiedNames) -> List[CodePair]:
    """Raises Failure unless the events are the same; returns the pairs of code objects that must be equal for it."""
    if first.kind != second.kind or first.static != second.static or len(first.operands) != len(second.operands):
        raise different(f"the first goes on with {_words(first)}, the second with {_words(second)}")
    if first.kind not in QUIET:
        one, other = state.resolve(state.a.exception), state.resolve(state.b.exception)
        if one != other:
            raise different(f"at {first.words()}, the exceptions being handled differ")
    if values.for_call:
        start = 1 if first.kind in ("CALL", "CALL_EX") else 0
        if not values.for_call.isdisjoint(first.operands[start:]):
            raise unknown(f"at {first.words()}: one half of a method that was loaded for a call")
    pairs = list(zip(first.operands, second.operands))
    if values.frame_readers and first.kind in ("CALL", "CALL_EX") and first.operands[0] in values.frame_readers:
        pairs += visible_locals(state, values.frame_readers[first.operands[0]])
    if first.operands == second.operands and not state.heap and len(pairs) == len(first.operands):
        return []
    codes: List[CodePair] = []
    pairs = _closure_by_cells(values, state, first, _without_names(values, first, pairs, names))
    try:
        relate(values, state, pairs, codes if first.kind == "MAKE_FUNCTION" else None)
    except Failure as failure:
        raise Failure(failure.status, f"at {first.words()}: {failure.reason}") from None
    return codes


def _closure_by_cells(values: Values, state: State, event: Event, pairs: List[Tuple[int, int]]) -> List[Tuple[int, int]]:
    """A function's closure is compared by its cells, and does not escape: which tuple holds them means nothing.

    No program sees that tuple but through `__closure__`, and the language does not promise the identity of immutable
    values. So several functions may be made with one tuple on one side, and with one each on the other; a test of
    identity of such a tuple is UNKNOWN (`steps.identity`).
    """
    if event.kind == "MAKE_FUNCTION" and "closure" in event.static:
        place = event.static.index("closure")  # only the qualified name, which comes last, may have been left out
    elif event.kind == "SET_FUNCTION_FIELD" and event.static == "closure":
        place = 0
    else:
        return pairs
    numbers = [state.resolve(number) for number in pairs[place]]
    one, other = (state.heap.get(number) for number in numbers)
    if one is None or other is None or len(one.items) != len(other.items):
        return pairs
    kept = [_is_used_again(state, side, number) for side, number in zip((state.a, state.b), numbers)]
    if not any(kept) or not (is_closure(values, state, one) and is_closure(values, state, other)):
        return pairs
    for number, again in zip(numbers, kept):
        if not again:
            del state.heap[number]
    return [*pairs[:place], *zip(one.items, other.items), *pairs[place + 1 :]]


def _is_used_again(state: State, side: Side, number: int) -> bool:
    """Whether more than the instruction at hand refers to a fresh container."""
    held = [item for container in state.heap.values() for item in container.items]
    slots = [*side.stack, *side.locals.values(), *held]
    return sum(state.resolve(slot) == number for slot in slots) > 1


def _without_names(
    values: Values, event: Event, pairs: List[Tuple[int, int]], names: QualifiedNames
) -> List[Tuple[int, int]]:
    """Leave out line numbers, and qualified names if they agree relative to the outermost code objects."""
    place = -1
    if event.kind == "STORE_NAME" and event.static == "__qualname__":
        place = 0
    elif stores_line(values, event):
        lines = [values.integer(number) for number in pairs[-1]]
        return pairs if None in lines else pairs[:-1]
    elif event.kind == "MAKE_FUNCTION" and "qualname" in event.static:
        place = event.static.index("qualname")
    if place >= 0:
        first, second = (values.constant.get(number) for number in pairs[place])
        if isinstance(first, str) and isinstance(second, str) and names.agree(first, second):
            return pairs[:place] + pairs[place + 1 :]
    return pairs


def stores_line(values: Values, event: Event) -> bool:
    """Since 3.13 a class body keeps the line it starts at, in its namespace or wherever the name is declared to be."""
    if event.kind in ("STORE_NAME", "STORE_GLOBAL"):
        return bool(event.static == "__firstlineno__")
    return event.kind == "STORE_CELL" and values.term.get(event.operands[0]) == ("cell", "__firstlineno__")


def visible_locals(state: State, reader: str) -> List[Tuple[int, int]]:
    """What the call sees of the frame: `super()` the first parameter, the others every local that both sides have.

    Names that only one side has are temporaries.
    """
    first, second = state.a.locals, state.b.locals
    if reader != "super":
        return [(first[name], second[name]) for name in first if name in second]
    name = state.first_parameter
    return [] if name is None else [(first.get(name, NULL), second.get(name, NULL))]


def relate(values: Values, state: State, pairs: List[Tuple[int, int]], codes: Optional[List[CodePair]]) -> None:
    """Demand that the values are equal; containers on both sides become one opaque value each."""
    there: Dict[int, int] = {}
    back: Dict[int, int] = {}
    work = pairs[::-1]
    while work:
        x, y = map(state.resolve, work.pop())
        if x == y:
            if x in state.heap:
                raise unknown("a container belongs to both sides")
            continue
        one, other = state.heap.get(x), state.heap.get(y)
        if one is None or other is None:
            code, other_code = values.code(x), values.code(y)
            if codes is None or code is None or other_code is None:
                raise _mismatch(values, state, x, y)
            codes.append((code, other_code))
        elif x in there or y in back:
            if there.get(x) != y:
                raise different("the same container is used where the other side has two")
        elif one.kind != other.kind:
            raise different(f"a fresh {one.kind} on one side, a fresh {other.kind} on the other")
        elif len(one.items) != len(other.items):
            raise different(f"a fresh {one.kind} has not the same number of items on both sides")
        else:
            there[x] = y
            back[y] = x
            work.extend(zip(one.items, other.items))
    for x, y in there.items():
        number = values.result("a fresh " + state.heap[x].kind, None)
        state.same[x] = state.same[y] = number
        del state.heap[x], state.heap[y]


def _mismatch(values: Values, state: State, x: int, y: int) -> Failure:
    words = []
    for number in (x, y):
        container = state.heap.get(number)
        words.append(values.describe(number) if container is None else f"a fresh {container.kind}")
    return different(f"{words[0]} on one side, {words[1]} on the other")


def _words(event: Event) -> str:
    if event.kind == RETURN:
        return "the return"
    if event.kind == LEAVE:
        return "an exception that leaves"
    return event.words()
