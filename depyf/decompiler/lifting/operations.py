"""One function for each canonical instruction: what it takes and what it pushes.

Here: the stack, variables and operators, and at the end `OPERATIONS`, the whole table. Displays and strings are in
`displays`, what statements keep on the stack in `flow`, calls in `calls`, stores in `stores`.
"""

from __future__ import annotations

from typing import Dict

from depyf.bytecode.canonical import Instruction

from ..prepare.cases import lift_case, lift_subject
from ..tree import (
    Attr,
    Binary,
    BoolOp,
    Compare,
    Const,
    Item,
    List_,
    Name,
    Tuple_,
    Unary,
)
from . import calls, discards, displays, flow, stores, unpacking
from .formatting import format_operand
from .lift import Lifter, Operation
from .needs import NeedsContainers
from .values import (
    NULL,
    Builtin,
    Chained,
    ClosureCell,
    Copied,
    Fresh,
    Inplace,
    Local,
    Marker,
    Namespace,
    Saved,
    UnpackedItem,
)

# ---------------------------------------------------------------- stack and variables


def const(lifter: Lifter, instruction: Instruction) -> None:
    lifter.stack.append(Const(instruction.arg, instruction.offset))


def builtin(lifter: Lifter, instruction: Instruction) -> None:
    lifter.push(Builtin(instruction.arg, instruction.offset))


def null(lifter: Lifter, instruction: Instruction) -> None:
    lifter.stack.append(NULL)


def copy(lifter: Lifter, instruction: Instruction) -> None:
    stack = lifter.stack
    value = stack[-instruction.arg]
    following = lifter.following()
    if following is not None and following.op == "POP":  # `case _` leaves that
        lifter.skip = 1
        return
    if isinstance(value, Fresh) and instruction.arg == 2 and lifter.code.co_name == "__annotate__":
        if following is None or following.op not in _COMPARES:  # else it is in the middle of a chain
            stack.append(value)  # the mapping of annotations, on its way to getting one
            return
    if isinstance(value, UnpackedItem):
        value = lifter.settle(value)
    if isinstance(value, (List_, Tuple_)):
        cells = any(isinstance(item, ClosureCell) for item in value.items)  # nobody writes them
        if cells or not _is_stored_next(lifter, instruction.arg):
            raise NeedsContainers()
    if isinstance(value, Chained) and not _is_assigned_next(lifter, instruction.arg):
        named = lifter.walrus(value)
        stack[:] = [named if v is value else v for v in stack]
        value = named
    if not isinstance(value, (Marker, Copied, Chained)):
        if instruction.offset in lifter.named or lifter.is_safe(stack[: -instruction.arg]):
            if value.__class__ is Fresh and not any(v is value for v in lifter.pending):
                lifter.pending.append(value)  # nobody sees that it is built, but it is one and the same
            if any(v is value for v in lifter.pending):
                lifter.spill()
                value = stack[-instruction.arg]
        copied = Copied(value, instruction.offset)
        lifter.shares = True
        stack[-instruction.arg] = copied
        lifter._replace_pending(value, copied)
        value = copied
    if isinstance(value, Copied) and instruction.offset in lifter.unprotected:
        value.unprotected = True
        if not lifter.unprotected[instruction.offset]:
            _make_late(value)
    stack.append(value)


def _make_late(value: Copied) -> None:
    """The compiler tests a constant only if it became one late: as the opposite of another, or out of `1 or a`."""
    if isinstance(value.value, Const) and isinstance(value.value.value, bool):
        value.value = Unary("not", Const(not value.value.value, value.offset), value.offset)
    elif isinstance(value.value, Const) and isinstance(value.value.value, _TESTED_EARLY):
        op = "or" if value.value.value else "and"
        value.value = BoolOp(op, [value.value, Const(None, value.offset)], value.offset)


_TESTED_EARLY = (int, float, complex, str, bytes, tuple, type(None), type(...))  # what source can have as a constant


def _is_stored_next(lifter: Lifter, depth: int) -> bool:
    """Whether the copy goes into an assignment or a comparison, as in source that a person wrote."""
    following = lifter.following()
    if depth == 2 and following is not None and following.op in ("LOAD_ITEM", *_COMPARES):
        return True
    if depth > 1 and _copies_place(lifter, depth):
        return True
    compares = lifter.following(3)
    if depth == 1 and compares is not None and compares.op in _COMPARES:
        if [(i.op, i.arg) for i in (following, lifter.following(2)) if i is not None] == [("SWAP", 3), ("SWAP", 2)]:
            return True
    if following is not None and following.op == "CONST":  # a target in a constant or a lambda: ''.a = b = [c]
        behind = lifter.following(2)
        return behind is not None and behind.op not in ("LOAD_ITEM", "SWAP")
    return following is not None and following.op not in ("COPY", "SWAP", "LOAD_ITEM", "POP")


def _copies_place(lifter: Lifter, depth: int) -> bool:
    """a[b] += c and a[b:c] += d: all that the item is found by is copied, to read it and to store it."""
    for distance in range(1, depth + 1):
        following = lifter.following(distance)
        if following is None:
            return False
        if following.op in ("LOAD_ITEM", "BUILD_SLICE"):
            return True
        if following.op != "COPY" or following.arg != depth:
            return False
    return False


_COMPARES = ("COMPARE", "IS", "CONTAINS")


def _is_assigned_next(lifter: Lifter, depth: int) -> bool:
    """Whether a copy of a stored value goes into one more target of the same assignment."""
    following = lifter.following()
    return depth == 1 and following is not None and following.op not in _TAKES_COPY


_TAKES_COPY = frozenset(("TRUTH", "BRANCH", "SWAP", "COPY", "POP", "LOAD_ATTR"))  # (a := b).c += d reads an attribute of it


def swap(lifter: Lifter, instruction: Instruction) -> None:
    stack = lifter.stack
    count = instruction.arg
    if count <= 3 and stack[-1] is not NULL and _is_parallel_assignment(lifter, count):
        values = lifter.pops(count)
        values = lifter.use(values)
        unpacking.start_unpacking(lifter, Tuple_(values, instruction.offset), count, -1, instruction.offset)
        return
    stack[-1], stack[-count] = stack[-count], stack[-1]


_SIMPLE_STORES = frozenset(("STORE_LOCAL", "STORE_NAME", "STORE_GLOBAL", "STORE_CELL"))
_LOADS = frozenset(("LOAD_LOCAL", "LOAD_NAME", "LOAD_GLOBAL", "LOAD_CELL", "LOAD_LOCALS"))  # the last: of a name in a class
_BEGIN_TARGETS = _SIMPLE_STORES | _LOADS | {"UNPACK", "UNPACK_EX"}


def _is_parallel_assignment(lifter: Lifter, count: int) -> bool:
    """a, b = b, a: the compiler swaps instead of building a tuple. Of a, a, b.c = ..., the first value is dropped."""
    following = lifter.following()
    if following is None or any(isinstance(v, Marker) for v in lifter.stack[-count:]):
        return False
    if count == 3 and following.op == "POP" and (isinstance(lifter.stack[-3], Local) or lifter.stack[-3] in lifter.pending):
        second = lifter.following(2)
        return second is not None and second.op == "STORE_LOCAL"
    if count == 3 and following.op == "SWAP" and following.arg == 2:
        second = lifter.following(2)
        if second is None or second.op != "SWAP" or second.arg != 2:
            return False
        following = lifter.following(3)
        if following is None or following.op not in _BEGIN_TARGETS:
            return False
        lifter.skip = 2
        return True
    return following.op in _BEGIN_TARGETS


def load_local(lifter: Lifter, instruction: Instruction) -> None:
    local = Local(instruction.arg, instruction.offset)
    if lifter.safe and instruction.arg not in lifter.parameters:
        lifter.push_effect(local)  # it may be unbound: reading it is then seen
    else:
        lifter.stack.append(local)


def load_name(lifter: Lifter, instruction: Instruction) -> None:
    lifter.push_effect(Name(instruction.arg, instruction.offset))


def load_from_mapping(lifter: Lifter, instruction: Instruction) -> None:
    mapping = lifter.pop()
    lifter.use([mapping])
    lifter.push_effect(Name(instruction.arg, instruction.offset))


def load_clear(lifter: Lifter, instruction: Instruction) -> None:
    lifter.push(Saved(instruction.arg, instruction.offset))
    assert lifter.block is not None
    lifter.hiding.add(lifter.block)


def load_closure(lifter: Lifter, instruction: Instruction) -> None:
    lifter.push(ClosureCell(instruction.arg, instruction.offset))


def load_locals(lifter: Lifter, instruction: Instruction) -> None:
    lifter.push(Namespace(instruction.offset))


def nothing(lifter: Lifter, instruction: Instruction) -> None:
    pass


# ---------------------------------------------------------------- operators


def load_attr(lifter: Lifter, instruction: Instruction) -> None:
    lifter.push_effect(Attr(lifter.use_one(lifter.pop()), instruction.arg, instruction.offset))


def load_item(lifter: Lifter, instruction: Instruction) -> None:
    operands = lifter.use(lifter.pops(2))
    lifter.build(Item(operands[0], operands[1], instruction.offset), operands)


def unary(lifter: Lifter, instruction: Instruction) -> None:
    lifter.push_effect(Unary(instruction.arg, lifter.use_one(lifter.pop()), instruction.offset))


def not_(lifter: Lifter, instruction: Instruction) -> None:
    lifter.push_effect(Unary("not", lifter.use_one(lifter.pop()), instruction.offset))


def truth(lifter: Lifter, instruction: Instruction) -> None:
    """Truth tests print only where something else than a branch uses their result."""
    following = lifter.following()
    if following is not None and following.op in ("BRANCH", "NOT", "TRUTH"):
        return
    not_(lifter, instruction)
    not_(lifter, instruction)


def binary(lifter: Lifter, instruction: Instruction) -> None:
    operands = lifter.use(lifter.pops(2))
    left, right = operands
    if instruction.arg == "%":
        left = format_operand(left, right)
    lifter.build(Binary(left, instruction.arg, right, instruction.offset), operands)


def inplace(lifter: Lifter, instruction: Instruction) -> None:
    operands = lifter.use(lifter.pops(2))
    lifter.build(Inplace(operands[0], instruction.arg, operands[1], instruction.offset), operands)


def compare(lifter: Lifter, instruction: Instruction) -> None:
    _compare(lifter, instruction.arg, instruction.offset)


def is_(lifter: Lifter, instruction: Instruction) -> None:
    _compare(lifter, "is not" if instruction.arg else "is", instruction.offset)


def contains(lifter: Lifter, instruction: Instruction) -> None:
    displays.show_set(lifter)
    _compare(lifter, "not in" if instruction.arg else "in", instruction.offset)


def _compare(lifter: Lifter, op: str, offset: int) -> None:
    operands = lifter.use(lifter.pops(2))
    lifter.build(Compare(operands[0], [op], [operands[1]], offset), operands)


OPERATIONS: Dict[str, Operation] = {
    "CONST": const,
    "BUILTIN": builtin,
    "NULL": null,
    "COPY": copy,
    "SWAP": swap,
    "POP": discards.lift_pop,
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
    "BUILD_TUPLE": displays.build_tuple,
    "BUILD_LIST": displays.build_list,
    "BUILD_SET": displays.build_set,
    "BUILD_MAP": displays.build_map,
    "BUILD_CONST_KEY_MAP": displays.build_const_key_map,
    "BUILD_UNPACK": displays.build_unpack,
    "LIST_APPEND": displays.add_to("list"),
    "SET_ADD": displays.add_to("set"),
    "MAP_ADD": displays.map_add,
    "LIST_EXTEND": displays.extend,
    "SET_UPDATE": displays.extend,
    "DICT_UPDATE": displays.update_map,
    "DICT_MERGE": displays.update_map,
    "LIST_TO_TUPLE": displays.list_to_tuple,
    "BUILD_SLICE": displays.build_slice,
    "UNPACK": unpacking.lift_unpack,
    "UNPACK_EX": unpacking.lift_unpack_ex,
    "CONVERT": displays.convert,
    "FORMAT": displays.format_,
    "BUILD_STRING": displays.build_string,
    "BUILD_INTERPOLATION": displays.build_interpolation,
    "BUILD_TEMPLATE": displays.build_template,
    "CALL": calls.call,
    "CALL_KW": calls.call_kw,
    "CALL_EX": calls.call_ex,
    "MAKE_FUNCTION": calls.make_function,
    "SET_FUNCTION_FIELD": calls.set_function_field,
    "INTRINSIC": calls.intrinsic,
    "PRINT": flow.print_,
    "IMPORT": calls.import_,
    "IMPORT_FROM": calls.import_from,
    "IMPORT_STAR": calls.import_star,
    "SETUP_ANNOTATIONS": nothing,
    "ITER": flow.iter_,
    "AITER": flow.aiter,
    "YIELD": flow.yield_,
    "AWAITABLE": flow.awaitable,
    "YIELD_FROM_ITER": flow.yield_from_iter,
    "YIELD_FROM": flow.yield_from,
    "GENERATOR": nothing,
    "LEAVE_STAR": nothing,
    "ENTER": flow.enter,
    "ENTER_ASYNC": flow.enter_async,
    "WITH_EXCEPT": flow.with_except,
    "EXC_ENTER": flow.exc_enter,
    "PUSH_EXC": flow.push_exc,
    "POP_EXCEPT": flow.pop_except,
    "EXC_MATCH": flow.exc_match,
    "EG_MATCH": flow.eg_match,
    "PREP_RERAISE_STAR": flow.prep_reraise_star,
    "MATCH_MAPPING": flow.test("mapping", 1, 1),
    "MATCH_SEQUENCE": flow.test("sequence", 1, 1),
    "MATCH_KEYS": flow.test("keys", 2, 2),
    "MATCH_CLASS": flow.test("class", 3, 0),
    "GET_LEN": flow.test("length", 1, 1),
    "COPY_DICT_WITHOUT_KEYS": flow.test("rest", 2, 1),
    "CASE": lift_case,
    "CLEANUP": flow.cleanup,
    "SUBJECT": lift_subject,
    "FALL": flow.jump,
    "JUMP": flow.jump,
    "BRANCH": flow.branch,
    "NEXT": flow.next_,
    "RETURN": flow.return_,
    "RAISE": flow.raise_,
    "RERAISE": flow.reraise,
}
