"""One function for each canonical instruction that makes an expression: what it takes and what it pushes.

Calls, functions and imports are in `calls`, stores in `stores`; `OPERATIONS` at the end is the whole table.
"""

from __future__ import annotations

from typing import Any, Dict, List

from depyf.bytecode.canonical import Instruction

from . import calls, lift, stores
from .annotated import AnnotationMark, is_conditional_set
from .cases import lift_case, lift_subject
from .jumps import Accumulate, Enter
from .lift import Lifter, NeedsContainers, Operation, State
from .tree import (
    SPLICE,
    Attr,
    Await,
    Binary,
    Compare,
    Const,
    Dict_,
    Expr,
    ExprStmt,
    FormattedValue,
    Item,
    JoinedStr,
    List_,
    Name,
    Set_,
    Slice,
    Starred,
    Tuple_,
    Unary,
    Yield,
    YieldFrom,
)
from .values import (
    NULL,
    Awaitable,
    Builtin,
    Caught,
    Chained,
    ClosureCell,
    ComprehensionCall,
    Converted,
    Copied,
    Fresh,
    Inplace,
    Iterator,
    Local,
    Manager,
    ManagerPart,
    Marker,
    Namespace,
    NextItem,
    Opaque,
    Saved,
    Test,
    UnpackedItem,
    resolve,
)

# ---------------------------------------------------------------- stack and variables


def const(lifter: Lifter, instruction: Instruction) -> None:
    lifter.push(Const(instruction.arg, instruction.offset))


def builtin(lifter: Lifter, instruction: Instruction) -> None:
    lifter.push(Builtin(instruction.arg, instruction.offset))


def null(lifter: Lifter, instruction: Instruction) -> None:
    lifter.push(NULL)


def copy(lifter: Lifter, instruction: Instruction) -> None:
    stack = lifter.stack
    value = stack[-instruction.arg]
    if isinstance(value, Fresh) and instruction.arg == 2 and lifter.code.co_name == "__annotate__":
        stack.append(value)  # the mapping of annotations, on its way to getting one
        return
    if isinstance(value, UnpackedItem):
        value = lifter.settle(value)
    if isinstance(value, (List_, Tuple_)) and not _is_stored_next(lifter, instruction.arg):
        raise NeedsContainers()
    if isinstance(value, Chained) and not _is_assigned_next(lifter, instruction.arg):
        named = lifter.walrus(value)
        stack[:] = [named if v is value else v for v in stack]
        value = named
    if not isinstance(value, (Marker, Copied, Chained)):
        if lifter.safe and any(v is value for v in lifter.pending):
            lifter.spill()
            value = stack[-instruction.arg]
        copied = Copied(value, instruction.offset)
        stack[-instruction.arg] = copied
        lifter._replace_pending(value, copied)
        value = copied
    stack.append(value)


def _is_stored_next(lifter: Lifter, depth: int) -> bool:
    """Whether the copy goes into an assignment or a comparison, as in source that a person wrote."""
    following = lifter.following()
    if depth == 2 and following is not None and following.op in ("LOAD_ITEM", "COMPARE", "IS", "CONTAINS"):
        return True
    return following is not None and following.op not in ("CONST", "COPY", "SWAP", "LOAD_ITEM", "POP")


def _is_assigned_next(lifter: Lifter, depth: int) -> bool:
    """Whether a copy of a stored value goes into one more target of the same assignment."""
    following = lifter.following()
    return depth == 1 and following is not None and following.op not in ("TRUTH", "BRANCH", "SWAP", "COPY", "POP")


def swap(lifter: Lifter, instruction: Instruction) -> None:
    stack = lifter.stack
    count = instruction.arg
    if count <= 3 and _is_parallel_assignment(lifter, count):
        values = lifter.pops(count)
        values = lifter.use(values)
        stores.start_unpacking(lifter, Tuple_(values, instruction.offset), count, -1, instruction.offset)
        return
    stack[-1], stack[-count] = stack[-count], stack[-1]


_SIMPLE_STORES = frozenset(("STORE_LOCAL", "STORE_NAME", "STORE_GLOBAL", "STORE_CELL"))
_LOADS = frozenset(("LOAD_LOCAL", "LOAD_NAME", "LOAD_GLOBAL", "LOAD_CELL", "LOAD_DICT_OR_GLOBAL", "LOAD_DICT_OR_CELL"))


def _is_parallel_assignment(lifter: Lifter, count: int) -> bool:
    """a, b = b, a: the compiler swaps instead of building a tuple."""
    following = lifter.following()
    if following is None or any(isinstance(v, Marker) for v in lifter.stack[-count:]):
        return False
    if count == 3 and following.op == "SWAP" and following.arg == 2:
        second = lifter.following(2)
        if second is None or second.op != "SWAP" or second.arg != 2:
            return False
        following = lifter.following(3)
        if following is None or following.op not in _SIMPLE_STORES and following.op not in _LOADS:
            return False
        lifter.skip = 2
        return True
    return following.op in _SIMPLE_STORES or following.op in _LOADS


def load_local(lifter: Lifter, instruction: Instruction) -> None:
    local = Local(instruction.arg, instruction.offset)
    if lifter.safe and instruction.arg not in lifter.parameters:
        lifter.push_effect(local)  # it may be unbound: reading it is then seen
    else:
        lifter.push(local)


def load_name(lifter: Lifter, instruction: Instruction) -> None:
    lifter.push_effect(Name(instruction.arg, instruction.offset))


def load_from_mapping(lifter: Lifter, instruction: Instruction) -> None:
    mapping = lifter.pop()
    lifter.use([mapping])
    lifter.push_effect(Name(instruction.arg, instruction.offset))


def load_clear(lifter: Lifter, instruction: Instruction) -> None:
    lifter.push(Saved(instruction.arg, instruction.offset))


def load_closure(lifter: Lifter, instruction: Instruction) -> None:
    lifter.push(ClosureCell(instruction.arg, instruction.offset))


def load_locals(lifter: Lifter, instruction: Instruction) -> None:
    lifter.push(Namespace(instruction.offset))


def nothing(lifter: Lifter, instruction: Instruction) -> None:
    pass


# ---------------------------------------------------------------- operators


def load_attr(lifter: Lifter, instruction: Instruction) -> None:
    operands = lifter.use([lifter.pop()])
    lifter.build(Attr(operands[0], instruction.arg, instruction.offset), operands)


def load_item(lifter: Lifter, instruction: Instruction) -> None:
    operands = lifter.use(lifter.pops(2))
    lifter.build(Item(operands[0], operands[1], instruction.offset), operands)


def unary(lifter: Lifter, instruction: Instruction) -> None:
    operands = lifter.use([lifter.pop()])
    lifter.build(Unary(instruction.arg, operands[0], instruction.offset), operands)


def not_(lifter: Lifter, instruction: Instruction) -> None:
    operands = lifter.use([lifter.pop()])
    lifter.build(Unary("not", operands[0], instruction.offset), operands)


def truth(lifter: Lifter, instruction: Instruction) -> None:
    """Truth tests print only where something else than a branch uses their result."""
    following = lifter.following()
    if following is not None and following.op in ("BRANCH", "NOT", "TRUTH"):
        return
    not_(lifter, instruction)
    not_(lifter, instruction)


def binary(lifter: Lifter, instruction: Instruction) -> None:
    operands = lifter.use(lifter.pops(2))
    lifter.build(Binary(operands[0], instruction.arg, operands[1], instruction.offset), operands)


def inplace(lifter: Lifter, instruction: Instruction) -> None:
    operands = lifter.use(lifter.pops(2))
    lifter.build(Inplace(operands[0], instruction.arg, operands[1], instruction.offset), operands)


def compare(lifter: Lifter, instruction: Instruction) -> None:
    _compare(lifter, instruction.arg, instruction.offset)


def is_(lifter: Lifter, instruction: Instruction) -> None:
    _compare(lifter, "is not" if instruction.arg else "is", instruction.offset)


def contains(lifter: Lifter, instruction: Instruction) -> None:
    _show_set(lifter)
    _compare(lifter, "not in" if instruction.arg else "in", instruction.offset)


def _show_set(lifter: Lifter) -> None:
    """A constant set was a display that the compiler froze."""
    container = lifter.stack[-1]
    if isinstance(container, Const) and isinstance(container.value, frozenset) and container.value:
        lifter.stack[-1] = Set_(constants_of(container.value), container.offset)


def _compare(lifter: Lifter, op: str, offset: int) -> None:
    operands = lifter.use(lifter.pops(2))
    lifter.build(Compare(operands[0], [op], [operands[1]], offset), operands)


def constants_of(values: Any) -> List[Expr]:
    """The elements of a constant set in an order that does not depend on hashing."""
    if isinstance(values, frozenset):
        values = sorted(values, key=lambda v: (type(v).__name__, repr(v)))
    return [Const(v) for v in values]


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
    if kind in ("map", "map_call"):
        items: Any = []
        for value in operands:
            display = resolve(value)
            items.extend(display.items if isinstance(display, Dict_) else [(None, value)])
        lifter.build(Dict_(items, instruction.offset), operands)
        return
    values: List[Expr] = []
    for value in operands:
        values.extend(_spread(value))
    made = List_ if kind == "list" else Set_ if kind == "set" else Tuple_
    lifter.build(made(values, instruction.offset), operands)


def _spread(value: Expr) -> List[Expr]:
    """The items that `*value` adds to a display, where they are plain to see."""
    value = resolve(value)
    if isinstance(value, (Tuple_, List_)):
        return value.items
    if isinstance(value, Const) and isinstance(value.value, tuple) and value.value:
        return constants_of(value.value)
    return [Starred(value, value.offset)]


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


def extend(lifter: Lifter, instruction: Instruction) -> None:
    value = lifter.pop()
    container = lifter.stack[-instruction.arg]
    if not isinstance(resolve(container), (List_, Set_)):
        raise NeedsContainers()
    if isinstance(container, Copied):
        raise NeedsContainers()
    if isinstance(value, Const) and isinstance(value.value, (tuple, frozenset)) and value.value:
        items: List[Expr] = constants_of(value.value)
    elif isinstance(value, Const) and value.value == ():
        items = [Starred(Tuple_([]))]
    else:
        items = [Starred(value, value.offset)]
    _add(lifter, container, items, [value])


def update_map(lifter: Lifter, instruction: Instruction) -> None:
    value = lifter.pop()
    container = lifter.stack[-instruction.arg]
    if not isinstance(resolve(container), Dict_):
        raise lifter.error("this updates something that is no display", instruction)
    display = resolve(value)
    items = display.items if isinstance(display, Dict_) and display.items else [(None, value)]
    _add(lifter, container, items, [value])


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
    value, conversion = operands[0], None
    if isinstance(value, Converted):
        value, conversion = value.value, value.conversion
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
        if text.value:  # type: ignore[attr-defined]
            parts.append(text.value)  # type: ignore[attr-defined]
        if index < len(values):
            parts.append(values[index])
    lifter.build(JoinedStr(parts, "t", instruction.offset), [])


# ---------------------------------------------------------------- generators and loops


def iter_(lifter: Lifter, instruction: Instruction) -> None:
    _show_set(lifter)
    [value] = lifter.use([lifter.pop()])
    lifter.push(Iterator(value, False, False, instruction.offset))
    if instruction.arg == 2:
        lifter.push(NULL)


def aiter(lifter: Lifter, instruction: Instruction) -> None:
    [value] = lifter.use([lifter.pop()])
    lifter.push(Iterator(value, False, True, instruction.offset))


def yield_(lifter: Lifter, instruction: Instruction) -> None:
    operands = lifter.use([lifter.pop()])
    value = operands[0]
    plain = isinstance(value, Const) and value.value is None
    lifter.build(Yield(None if plain else value, instruction.offset), operands)


def awaitable(lifter: Lifter, instruction: Instruction) -> None:
    value = lifter.stack[-1]
    if isinstance(value, ManagerPart):
        return
    operands = lifter.use([lifter.pop()])
    lifter.build(Awaitable(operands[0], "await", instruction.offset), operands)


def yield_from_iter(lifter: Lifter, instruction: Instruction) -> None:
    operands = lifter.use([lifter.pop()])
    lifter.build(Awaitable(operands[0], "yield from", instruction.offset), operands)
    if instruction.arg == 2:
        lifter.push(NULL)


def yield_from(lifter: Lifter, instruction: Instruction) -> None:
    lifter.pop()  # the None that is sent first
    if instruction.arg == 2:
        lifter.pop()
    value = lifter.stack[-1]
    if isinstance(value, ManagerPart):
        if value.part == "entering":
            lifter.stack[-1] = ManagerPart(value.manager, "entered", instruction.offset)
        return
    operands = lifter.use([lifter.pop()])
    inner = operands[0]
    if not isinstance(inner, Awaitable):
        raise lifter.error("waits for something that was not made awaitable", instruction)
    waited = resolve(inner.value)
    if isinstance(waited, ComprehensionCall) and waited.function.code.co_name != "<genexpr>":
        lifter.build(inner.value, operands)  # an asynchronous comprehension waits for itself
        return
    made: Expr = (Await if inner.kind == "await" else YieldFrom)(inner.value, instruction.offset)
    lifter.build(made, operands)


def next_(lifter: Lifter, instruction: Instruction) -> None:
    lifter.finish_open_unpackings()
    slots, pops = instruction.arg[:2]
    is_async = len(instruction.arg) > 2
    iterator = lifter.stack[-slots]
    if not isinstance(iterator, Iterator):
        lifter.use([iterator])
        made = Iterator(iterator, True, is_async, instruction.offset)
        lifter.stack[-slots] = iterator = made
    lifter._drop_pending(iterator)
    item = NextItem(lifter.block)
    lifter.lifted.loop = (iterator, item)
    state = lifter.hold(lifter.stack)
    body = State([*state.stack, item], state.pending)
    exhausted = State(state.stack[:-slots] if pops else state.stack, state.pending)
    lifter.lifted.exits = [body, exhausted]


# ---------------------------------------------------------------- with and exceptions


def enter(lifter: Lifter, instruction: Instruction) -> None:
    [value] = lifter.use([lifter.pop()])
    manager = Manager(value, False, instruction.offset)
    lifter.emit(Enter(manager, instruction.offset))
    lifter.push(ManagerPart(manager, "exit"))
    if instruction.arg == 2:
        lifter.push(ManagerPart(manager, "self"))
    lifter.push(ManagerPart(manager, "entered", instruction.offset))


def enter_async(lifter: Lifter, instruction: Instruction) -> None:
    [value] = lifter.use([lifter.pop()])
    manager = Manager(value, True, instruction.offset)
    lifter.emit(Enter(manager, instruction.offset))
    lifter.push(ManagerPart(manager, "exit"))
    if instruction.arg == 2:
        lifter.push(ManagerPart(manager, "self"))
    lifter.push(ManagerPart(manager, "entering"))


def with_except(lifter: Lifter, instruction: Instruction) -> None:
    leaving = lifter.stack[-instruction.arg[0]]
    if not isinstance(leaving, ManagerPart):
        raise lifter.error("leaves a with block that was not entered", instruction)
    lifter.push(ManagerPart(leaving.manager, "suppress"))


def exc_enter(lifter: Lifter, instruction: Instruction) -> None:
    caught = lifter.stack.pop()
    assert isinstance(caught, Caught)
    lifter.stack.extend(Opaque("previous") for _ in range(3))
    lifter.stack.append(Caught(caught.handler, "traceback"))
    lifter.stack.append(caught)
    lifter.stack.append(Caught(caught.handler, "type"))


def push_exc(lifter: Lifter, instruction: Instruction) -> None:
    lifter.stack.insert(-1, Opaque("previous"))


def pop_except(lifter: Lifter, instruction: Instruction) -> None:
    del lifter.stack[-instruction.arg :]


def exc_match(lifter: Lifter, instruction: Instruction) -> None:
    caught, pattern = lifter.pops(2)
    [pattern] = lifter.use([pattern])
    lifter.build(Test("exception", [caught, pattern], instruction.offset, instruction.arg), [])


def test(kind: str, pops: int, keeps: int) -> Operation:
    """An instruction that only a statement can express; `keeps` operands stay on the stack below the result."""

    def operation(lifter: Lifter, instruction: Instruction) -> None:
        kept = lifter.stack[-pops:][:keeps]
        operands = lifter.stack[-pops:]
        del lifter.stack[-pops:]
        lifter.use(list(operands))
        lifter.stack.extend(kept)
        lifter.push_effect(Test(kind, operands, instruction.offset, instruction.arg))

    return operation


def eg_match(lifter: Lifter, instruction: Instruction) -> None:
    caught, pattern = lifter.pops(2)
    [pattern] = lifter.use([pattern])
    lifter.push(Opaque("rest"))
    lifter.build(Test("group", [caught, pattern], instruction.offset), [])


def prep_reraise_star(lifter: Lifter, instruction: Instruction) -> None:
    operands = lifter.stack[-2:]
    del lifter.stack[-2:]
    lifter.push(Test("reraise star", operands, instruction.offset))


# ---------------------------------------------------------------- terminators


def branch(lifter: Lifter, instruction: Instruction) -> None:
    lifter.finish_open_unpackings()
    [test_] = lifter.use([lifter.pop()])
    lifter.lifted.test = test_
    lifter.end(lifter.hold(lifter.stack))


def jump(lifter: Lifter, instruction: Instruction) -> None:
    lifter.finish_open_unpackings()
    lifter.end(lifter.hold(lifter.stack))


def print_(lifter: Lifter, instruction: Instruction) -> None:
    [value] = lifter.use([lifter.pop()])
    lifter.emit(ExprStmt(value, instruction.offset))


OPERATIONS: Dict[str, Operation] = {
    "CONST": const,
    "BUILTIN": builtin,
    "NULL": null,
    "COPY": copy,
    "SWAP": swap,
    "POP": lift.lift_pop,
    "LOAD_LOCAL": load_local,
    "LOAD_CLEAR": load_clear,
    "STORE_LOCAL": stores.lift_store_local,
    "DELETE_LOCAL": stores.lift_delete_local,
    "MAKE_CELL": nothing,
    "LOAD_CELL": load_name,
    "STORE_CELL": stores.lift_store_name,
    "DELETE_CELL": stores.lift_delete_name,
    "LOAD_CLOSURE": load_closure,
    "LOAD_LOCALS": load_locals,
    "LOAD_DICT_OR_CELL": load_from_mapping,
    "LOAD_DICT_OR_GLOBAL": load_from_mapping,
    "LOAD_GLOBAL": load_name,
    "STORE_GLOBAL": stores.lift_store_name,
    "DELETE_GLOBAL": stores.lift_delete_name,
    "LOAD_NAME": load_name,
    "STORE_NAME": stores.lift_store_name,
    "DELETE_NAME": stores.lift_delete_name,
    "LOAD_ATTR": load_attr,
    "STORE_ATTR": stores.lift_store_attr,
    "DELETE_ATTR": stores.lift_delete_attr,
    "LOAD_ITEM": load_item,
    "STORE_ITEM": stores.lift_store_item,
    "DELETE_ITEM": stores.lift_delete_item,
    "SUPER": calls.super_,
    "UNARY": unary,
    "NOT": not_,
    "TRUTH": truth,
    "BINARY": binary,
    "INPLACE": inplace,
    "COMPARE": compare,
    "IS": is_,
    "CONTAINS": contains,
    "BUILD_TUPLE": build_tuple,
    "BUILD_LIST": build_list,
    "BUILD_SET": build_set,
    "BUILD_MAP": build_map,
    "BUILD_CONST_KEY_MAP": build_const_key_map,
    "BUILD_UNPACK": build_unpack,
    "LIST_APPEND": add_to("list"),
    "SET_ADD": add_to("set"),
    "MAP_ADD": map_add,
    "LIST_EXTEND": extend,
    "SET_UPDATE": extend,
    "DICT_UPDATE": update_map,
    "DICT_MERGE": update_map,
    "LIST_TO_TUPLE": list_to_tuple,
    "BUILD_SLICE": build_slice,
    "UNPACK": stores.lift_unpack,
    "UNPACK_EX": stores.lift_unpack_ex,
    "CONVERT": convert,
    "FORMAT": format_,
    "BUILD_STRING": build_string,
    "BUILD_INTERPOLATION": build_interpolation,
    "BUILD_TEMPLATE": build_template,
    "CALL": calls.call,
    "CALL_KW": calls.call_kw,
    "CALL_EX": calls.call_ex,
    "MAKE_FUNCTION": calls.make_function,
    "SET_FUNCTION_FIELD": calls.set_function_field,
    "INTRINSIC": calls.intrinsic,
    "PRINT": print_,
    "IMPORT": calls.import_,
    "IMPORT_FROM": calls.import_from,
    "IMPORT_STAR": calls.import_star,
    "SETUP_ANNOTATIONS": nothing,
    "ITER": iter_,
    "AITER": aiter,
    "YIELD": yield_,
    "AWAITABLE": awaitable,
    "YIELD_FROM_ITER": yield_from_iter,
    "YIELD_FROM": yield_from,
    "GENERATOR": nothing,
    "ENTER": enter,
    "ENTER_ASYNC": enter_async,
    "WITH_EXCEPT": with_except,
    "EXC_ENTER": exc_enter,
    "PUSH_EXC": push_exc,
    "POP_EXCEPT": pop_except,
    "EXC_MATCH": exc_match,
    "EG_MATCH": eg_match,
    "PREP_RERAISE_STAR": prep_reraise_star,
    "MATCH_MAPPING": test("mapping", 1, 1),
    "MATCH_SEQUENCE": test("sequence", 1, 1),
    "MATCH_KEYS": test("keys", 2, 2),
    "MATCH_CLASS": test("class", 3, 0),
    "GET_LEN": test("length", 1, 1),
    "COPY_DICT_WITHOUT_KEYS": test("rest", 2, 1),
    "CASE": lift_case,
    "SUBJECT": lift_subject,
    "FALL": jump,
    "JUMP": jump,
    "BRANCH": branch,
    "NEXT": next_,
    "RETURN": lift.lift_return,
    "RAISE": lift.lift_raise,
    "RERAISE": lift.lift_reraise,
}
