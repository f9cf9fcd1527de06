"""Displays and strings: what builds a container or an f-string, and what adds to one that is being built."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from depyf.bytecode.canonical import Instruction

from ..nesting.annotated import is_conditional_set
from ..structuring.jumps import Accumulate, AnnotationMark
from ..tree import (
    SPLICE,
    Const,
    Dict_,
    Expr,
    FormattedValue,
    JoinedStr,
    List_,
    Set_,
    Slice,
    Starred,
    Tuple_,
)
from .lift import Lifter, Operation
from .needs import NeedsContainers
from .values import (
    Converted,
    Copied,
    Fresh,
    Iterator,
    Marker,
    Opaque,
    resolve,
)

# ---------------------------------------------------------------- displays


def build_tuple(lifter: Lifter, instruction: Instruction) -> None:
    operands = lifter.use(lifter.pops(instruction.arg))
    lifter.build(Tuple_(operands, instruction.offset), operands, _reads(operands))


def _reads(operands: List[Expr]) -> bool:
    """Whether a display holds what a later store could change: then it must not move."""
    return any(v.__class__ is not Const and not isinstance(v, Marker) for v in operands)


def build_list(lifter: Lifter, instruction: Instruction) -> None:
    if not instruction.arg:
        lifter.push(Fresh(List_([], instruction.offset), instruction.offset))
        return
    operands = lifter.use(lifter.pops(instruction.arg))
    lifter.build(List_(operands, instruction.offset), operands, _reads(operands))


def build_set(lifter: Lifter, instruction: Instruction) -> None:
    if not instruction.arg:
        lifter.push(Fresh(Set_([], instruction.offset), instruction.offset))
        return
    operands = lifter.use(lifter.pops(instruction.arg))
    lifter.build(Set_(operands, instruction.offset), operands, bool(operands))


def build_map(lifter: Lifter, instruction: Instruction) -> None:
    if not instruction.arg:
        lifter.push(Fresh(Dict_([], instruction.offset), instruction.offset))
        return
    operands = lifter.use(lifter.pops(2 * instruction.arg))
    items: Any = list(zip(operands[::2], operands[1::2]))
    lifter.build(Dict_(items, instruction.offset), operands, bool(operands))


def build_const_key_map(lifter: Lifter, instruction: Instruction) -> None:
    keys = lifter.pop()
    assert isinstance(keys, Const)
    operands = lifter.use(lifter.pops(instruction.arg))
    items: Any = [(Const(key), value) for key, value in zip(keys.value, operands)]
    lifter.build(Dict_(items, instruction.offset), operands)


def build_unpack(lifter: Lifter, instruction: Instruction) -> None:
    """3.8: [*a, *b], (*a, *b), {*a}, {**a}, and the arguments of f(*a, *b) and f(**a, **b)."""
    kind, count = instruction.arg
    operands = lifter.use(lifter.pops(count))
    items: List[Any] = []
    grouped = count == 1  # something was unpacked: else there would be nothing but the group
    for value in operands:
        group = [] if grouped or lifter.is_whole(resolve(value)) else _group(kind, resolve(value))
        grouped = bool(group)  # two in a row were not written as one
        single: Any = (None, value) if kind in ("map", "map_call") else Starred(value, value.offset)
        items.extend(group or [single])
    made: Expr = _DISPLAYS.get(kind, Tuple_)(items, instruction.offset)
    if not kind.endswith("_call"):
        lifter.whole[id(made)] = made
    lifter.build(made, operands)


_DISPLAYS: Dict[str, Any] = {"map": Dict_, "map_call": Dict_, "list": List_, "set": Set_}


def _group(kind: str, value: Expr) -> List[Any]:
    """The items that are built together between what is unpacked into a display of this kind; none if this is no such group."""
    if kind in ("map", "map_call"):
        return value.items if isinstance(value, Dict_) and (kind == "map" or _are_keywords(value)) else []
    if kind == "set":
        return value.items if isinstance(value, Set_) else []
    if isinstance(value, Const) and isinstance(value.value, tuple):
        return constants_of(value.value)
    return value.items if isinstance(value, Tuple_) else []


def add_to(kind: str) -> Operation:
    """LIST_APPEND, SET_ADD: an item of a display, or, past a loop's iterator, of a comprehension."""

    def operation(lifter: Lifter, instruction: Instruction) -> None:
        value = lifter.pop()
        depth = instruction.arg
        container = lifter.stack[-depth]
        if depth > 1:
            [value] = lifter.use([value])
            lifter.emit(Accumulate(container, kind, value, None, instruction.offset))
            return
        if is_conditional_set(container) and isinstance(value, Const):
            lifter.use([container])
            lifter.stack[-1] = Opaque("annotations")
            lifter.emit(AnnotationMark(value.value, instruction.offset))
            return
        if not isinstance(resolve(container), (List_, Set_)):
            raise lifter.error("this adds to something that is no display", instruction)
        _add(lifter, container, [value], [value])

    return operation


def _add(lifter: Lifter, container: Any, items: List[Any], operands: List[Expr]) -> None:
    """Extends a display on the stack in place; it stays where it was evaluated."""
    pending = any(v is container for v in lifter.pending)
    checked = lifter.use([container, *operands] if pending else operands)
    if checked[-len(operands) :] != operands:
        raise lifter.error("a display whose items do not stand together", lifter.current())
    resolve(container).items.extend(items)  # type: ignore[attr-defined]
    lifter.pending.append(container)


def map_add(lifter: Lifter, instruction: Instruction) -> None:
    key, value = lifter.pops(2)
    container = lifter.stack[-instruction.arg]
    if instruction.arg > 1:
        key, value = lifter.use([key, value])
        lifter.emit(Accumulate(container, "dict", key, value, instruction.offset))
        return
    _add(lifter, container, [(key, value)], [key, value])


def _is_past_iterator(lifter: Lifter, depth: int) -> bool:
    """Whether a loop's iterator lies above what stands this deep: it is what a comprehension makes. PyTorch reaches down elsewhere."""
    return depth > 1 and any(isinstance(value, Iterator) for value in lifter.stack[-depth + 1 :])


def extend(lifter: Lifter, instruction: Instruction) -> None:
    value = lifter.pop()
    container = lifter.stack[-instruction.arg]
    if _is_past_iterator(lifter, instruction.arg):  # [*value for ...]
        [value] = lifter.use([value])
        kind = "list" if instruction.op == "LIST_EXTEND" else "set"
        lifter.emit(Accumulate(container, kind, Starred(value, value.offset), None, instruction.offset))
        return
    if not isinstance(resolve(container), (List_, Set_)):
        raise NeedsContainers()
    if isinstance(container, Copied):
        raise NeedsContainers()
    if instruction.arg > 1 and lifter.container_class is None:  # a display is on top while it is built
        raise NeedsContainers()
    if _is_frozen(resolve(container), value):
        assert isinstance(value, Const)
        items: List[Expr] = constants_of(value.value)
        if len(items) < _FROZEN:
            items.extend(items[:1] * (_FROZEN - len(items)))  # some were written twice
    elif isinstance(value, Const) and value.value == ():
        items = [Starred(Tuple_([]))]
    else:
        items = [Starred(value, value.offset)]
    _add(lifter, container, items, [value])


_FROZEN = 3  # displays of fewer constants are not built from a frozen one


def _is_frozen(display: Any, value: Expr) -> bool:
    """Whether a display begins with constants that the compiler froze to one."""
    if display.items or not isinstance(value, Const):
        return False
    if isinstance(display, Set_):
        return isinstance(value.value, frozenset) and bool(value.value)
    return isinstance(value.value, tuple) and len(value.value) >= _FROZEN


def update_map(lifter: Lifter, instruction: Instruction) -> None:
    value = lifter.pop()
    container = lifter.stack[-instruction.arg]
    if instruction.op == "DICT_UPDATE" and _is_past_iterator(lifter, instruction.arg):  # {**value for ...}
        [value] = lifter.use([value])
        lifter.emit(Accumulate(container, "dict", value, None, instruction.offset))
        return
    if not isinstance(resolve(container), Dict_):
        raise lifter.error("this updates something that is no display", instruction)
    display = resolve(value)
    spread = isinstance(display, Dict_) and display.items and not lifter.is_whole(display)
    group = 0 if instruction.op == "DICT_MERGE" else _GROUP
    spread = spread and _may_go_on(lifter, resolve(container), group)
    if instruction.op == "DICT_MERGE":  # into the keywords of a call
        spread = spread and _are_keywords(display)
    _add(lifter, container, display.items if spread else [(None, value)], [value])  # type: ignore[attr-defined]
    if instruction.op == "DICT_UPDATE":
        whole = resolve(container)
        lifter.whole[id(whole)] = whole


_GROUP = 17  # so many items of a dict are built at once


def _may_go_on(lifter: Lifter, display: Any, group: int) -> bool:
    """Whether items that are built by themselves may follow those of `display`: behind something unpacked, or behind a full group.

    Elsewhere they would have been built together with those before them, or would begin the display."""
    if not display.items:
        return False
    keyed = _keyed_at_end(lifter, display)
    return not keyed or bool(group) and keyed % group == 0


def _keyed_at_end(lifter: Lifter, display: Any) -> int:
    """How many items of a dict follow the last one that was unpacked. A big one grows group by group, and is asked for each: what was
    counted before is not counted again."""
    items = display.items
    counted = keyed = 0
    if id(display) in lifter.keyed:
        _, counted, keyed = lifter.keyed[id(display)]
    for position in range(counted, len(items)):
        keyed = 0 if items[position][0] is None else keyed + 1
    lifter.keyed[id(display)] = display, len(items), keyed
    return keyed


def is_keyword(key: Expr) -> bool:
    """Whether a key of a mapping can be written as a keyword of a call."""
    return isinstance(key, Const) and isinstance(key.value, str) and key.value.isidentifier()


def _are_keywords(display: Expr) -> bool:
    return isinstance(display, Dict_) and all(key is None or is_keyword(key) for key, _ in display.items)


def list_to_tuple(lifter: Lifter, instruction: Instruction) -> None:
    value = lifter.pop()
    operands = lifter.use([value])
    display = resolve(value)
    if isinstance(display, List_) and display.items:  # else a comprehension may be going to fill it
        lifter.build(Tuple_(display.items, value.offset), operands, False)
    else:
        lifter.build(Tuple_([Starred(value)], instruction.offset), operands)


def build_slice(lifter: Lifter, instruction: Instruction) -> None:
    operands = lifter.use(lifter.pops(instruction.arg))
    plain = [resolve(v) for v in operands]
    parts: List[Any] = [
        None if isinstance(p, Const) and p.value is None else v for p, v in zip(plain, operands)
    ]
    step = operands[2] if len(operands) > 2 else None
    if len(operands) == 2:
        parts.append(None)
    lifter.build(Slice(parts[0], parts[1], step, instruction.offset), operands, False)


# ---------------------------------------------------------------- strings


def convert(lifter: Lifter, instruction: Instruction) -> None:
    """Up to 3.12 the conversion runs after the spec is evaluated; the value keeps its place in the order."""
    value = lifter.pop()
    converted = Converted(value, instruction.arg, instruction.offset)
    lifter._replace_pending(value, converted)
    lifter.push(converted)


def format_(lifter: Lifter, instruction: Instruction) -> None:
    operands = lifter.use(lifter.pops(2 if instruction.arg else 1))
    value = operands[0]
    conversion: Optional[str] = None
    if isinstance(value, Converted):
        conversion = value.conversion
        value = value.value
    spec = operands[1] if instruction.arg else None
    part = FormattedValue(value, conversion, spec, instruction.offset)
    lifter.build(JoinedStr([part], "f", instruction.offset), operands)


def build_string(lifter: Lifter, instruction: Instruction) -> None:
    operands = lifter.use(lifter.pops(instruction.arg))
    parts: List[Any] = []
    for value in operands:
        if isinstance(value, Const):
            parts.append(value.value)
        elif isinstance(value, JoinedStr):
            parts.extend(value.parts)
        else:  # a string that another block made: its parts, unless it gets a name
            parts.append(FormattedValue(value, SPLICE, None, value.offset))
    lifter.build(JoinedStr(parts, "f", instruction.offset), operands)


def build_interpolation(lifter: Lifter, instruction: Instruction) -> None:
    conversion, has_spec = instruction.arg
    operands = lifter.use(lifter.pops(3 if has_spec else 2))
    text = operands[1].value if isinstance(operands[1], Const) else None
    spec = operands[2] if has_spec else None
    part = FormattedValue(operands[0], conversion, spec, instruction.offset, text)
    lifter.build(part, operands)


def build_template(lifter: Lifter, instruction: Instruction) -> None:
    strings, interpolations = lifter.use(lifter.pops(2))
    values = interpolations.items if isinstance(interpolations, Tuple_) else []
    texts = [Const(v) for v in strings.value] if isinstance(strings, Const) else strings.items  # type: ignore[attr-defined]
    parts: List[Any] = []
    for index, text in enumerate(texts):
        if text.value:
            parts.append(text.value)
        if index < len(values):
            parts.append(values[index])
    lifter.build(JoinedStr(parts, "t", instruction.offset), [])


def constants_of(values: Any) -> List[Expr]:
    """The elements of a constant set in an order that does not depend on hashing."""
    if isinstance(values, frozenset):
        values = sorted(values, key=lambda v: (type(v).__name__, repr(v)))
    return [Const(v) for v in values]


def show_set(lifter: Lifter) -> None:
    """A constant set was a display that the compiler froze."""
    container = lifter.stack[-1]
    if isinstance(container, Const) and isinstance(container.value, frozenset) and container.value:
        lifter.stack[-1] = Set_(constants_of(container.value), container.offset, frozen=True)
