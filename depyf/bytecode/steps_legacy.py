"""Lowering functions for the opcodes that only CPython 3.8 to 3.10 have, or have with another meaning.

Here exceptions take three slots, exits of with statements are called with three values, and protected ranges are
entered by instructions, whose handlers `blockstack` has found.
"""

from __future__ import annotations

from typing import Dict

from depyf.bytecode.builder import Builder
from depyf.bytecode.canonical import ABOVE, NONE
from depyf.bytecode.expand import CALLED, RAISED
from depyf.bytecode.opcodes import Version
from depyf.bytecode.steps_flow import Step, end_async_for, jump, reraise
from depyf.bytecode.steps_values import COMPARISONS, attribute, call_function_ex, call_kw, function_fields


def rotate(count: int) -> Step:
    return lambda b, index, arg: _rotate(b, index, count)


def rotate_n(b: Builder, index: int, arg: int) -> None:
    if arg < 2:
        raise b.raw.error(f"rotation of {arg} slots", index)
    _rotate(b, index, arg)


def _rotate(b: Builder, index: int, count: int) -> None:
    """The top goes below the others."""
    for n in range(count, 1, -1):
        b.emit("SWAP", n, index)


def dup_top(b: Builder, index: int, arg: int) -> None:
    b.emit("COPY", 1, index)


def dup_top_two(b: Builder, index: int, arg: int) -> None:
    b.emit("COPY", 2, index)
    b.emit("COPY", 2, index)


def setup_finally(b: Builder, index: int, arg: int) -> None:
    b.folded.append(b.raw.offsets[index])
    b.set_up(index, 0)


def setup_with(b: Builder, index: int, arg: int) -> None:
    b.emit("ENTER", 1, index)
    b.set_up(index, 1)


def setup_async_with(b: Builder, index: int, arg: int) -> None:
    """The awaited value of __aenter__ lies above what the handler keeps."""
    b.folded.append(b.raw.offsets[index])
    b.set_up(index, 1)


def end_finally(b: Builder, index: int, arg: int) -> None:
    """3.8; `expand` has put into the argument what lies on the stack here, and made a copy for each."""
    if arg == RAISED:
        b.end("RERAISE", (3, False), index)
    elif arg == CALLED:
        b.end("JUMP", None, index, (b.raw.targets[index],))
    else:
        b.folded.append(b.raw.offsets[index])


def pop_finally(b: Builder, index: int, arg: int) -> None:
    kind, keeps_top = arg >> 1, arg & 1
    if kind != RAISED:
        b.folded.append(b.raw.offsets[index])
        return
    if keeps_top:
        _rotate(b, index, 4)
    for _ in range(3):
        b.emit("POP", None, index)
    if keeps_top:
        _rotate(b, index, 4)
    b.emit("POP_EXCEPT", 3, index)


def with_cleanup_start(b: Builder, index: int, arg: int) -> None:
    if arg == RAISED:
        b.emit("WITH_EXCEPT", (7, 1), index)
        return
    for _ in range(3):
        b.emit("CONST", None, index)
    b.emit("CALL", (3, NONE), index)


def with_cleanup_finish(b: Builder, index: int, arg: int) -> None:
    """A true result swallows the exception; otherwise control goes on to the END_FINALLY that raises it again."""
    if arg != RAISED:
        b.emit("POP", None, index)
        return
    b.emit("TRUTH", None, index)
    b.branch_away(index)
    for _ in range(3):
        b.emit("POP", None, index)
    b.emit("POP_EXCEPT", 3, index)
    b.emit("POP", None, index)
    b.end("JUMP", None, index, (b.raw.targets[index],))


def jump_if_not_exc_match(b: Builder, index: int, arg: int) -> None:
    b.emit("EXC_MATCH", None, index)
    b.branch(index, False)


def compare_op(b: Builder, index: int, arg: int) -> None:
    """3.8: membership, identity and exception matching are comparisons too."""
    if arg < len(COMPARISONS):
        b.emit("COMPARE", COMPARISONS[arg], index)
    elif arg < 8:
        b.emit("CONTAINS", arg == 7, index)
    elif arg < 10:
        b.emit("IS", arg == 9, index)
    elif arg == 10:
        b.emit("EXC_MATCH", None, index)
    else:
        raise b.raw.error(f"unknown comparison {arg}", index)


def call_function(b: Builder, index: int, arg: int) -> None:
    b.emit("CALL", (arg, NONE), index)


def load_method(b: Builder, index: int, arg: int) -> None:
    """Both slots are for CALL_METHOD alone, and it takes them in either order: so nothing needs to be swapped."""
    attribute(b, index, b.look("names", arg, index), 1, ABOVE)


def call_method(b: Builder, index: int, arg: int) -> None:
    b.emit("CALL", (arg, ABOVE), index)


def make_function(b: Builder, index: int, arg: int) -> None:
    """The qualified name lies above the code object here. Both are constants that were just loaded: then they change places there."""
    if arg > 15:
        raise b.raw.error(f"unknown function flags {arg}", index)
    before = b.instructions[-2:] if b.open else []
    if [one.op for one in before] == ["CONST", "CONST"]:
        code, name = before
        code.arg, name.arg = name.arg, code.arg
    else:
        b.emit("SWAP", 2, index)
    b.emit("MAKE_FUNCTION", (*function_fields(arg), "qualname"), index)


def get_awaitable(b: Builder, index: int, arg: int) -> None:
    """What is awaited shows only in the error message; these versions look at the instruction before, as done here."""
    before = b.raw.name(index - 1) if index else ""
    where = {"BEFORE_ASYNC_WITH": 1, "WITH_EXCEPT_START": 2, "WITH_CLEANUP_START": 2}.get(before, 0)
    b.emit("AWAITABLE", where, index)


def _and_found(op: str) -> Step:
    """3.10 pushes beside the result whether there is one."""

    def step(b: Builder, index: int, arg: int) -> None:
        b.emit(op, arg if op == "MATCH_CLASS" else None, index)
        b.emit("COPY", 1, index)
        b.emit("CONST", None, index)
        b.emit("IS", True, index)

    return step


def build_unpack(kind: str) -> Step:
    return lambda b, index, arg: b.emit("BUILD_UNPACK", (kind, arg), index)


_FUNCTIONS: Dict[str, Step] = {
    "ROT_TWO": rotate(2),
    "ROT_THREE": rotate(3),
    "ROT_FOUR": rotate(4),
    "ROT_N": rotate_n,
    "DUP_TOP": dup_top,
    "DUP_TOP_TWO": dup_top_two,
    "SETUP_FINALLY": setup_finally,
    "SETUP_WITH": setup_with,
    "SETUP_ASYNC_WITH": setup_async_with,
    "CALL_FINALLY": jump,
    "END_FINALLY": end_finally,
    "POP_FINALLY": pop_finally,
    "WITH_CLEANUP_START": with_cleanup_start,
    "WITH_CLEANUP_FINISH": with_cleanup_finish,
    "JUMP_IF_NOT_EXC_MATCH": jump_if_not_exc_match,
    "CALL_FUNCTION": call_function,
    "CALL_FUNCTION_KW": call_kw(NONE),
    "CALL_FUNCTION_EX": call_function_ex(NONE),
    "LOAD_METHOD": load_method,
    "CALL_METHOD": call_method,
    "MAKE_FUNCTION": make_function,
    "GET_AWAITABLE": get_awaitable,
    "MATCH_KEYS": _and_found("MATCH_KEYS"),
    "MATCH_CLASS": _and_found("MATCH_CLASS"),
    "RERAISE": reraise(3),
    "END_ASYNC_FOR": end_async_for(7),
    "BUILD_LIST_UNPACK": build_unpack("list"),
    "BUILD_TUPLE_UNPACK": build_unpack("tuple"),
    "BUILD_SET_UNPACK": build_unpack("set"),
    "BUILD_MAP_UNPACK": build_unpack("map"),
    "BUILD_TUPLE_UNPACK_WITH_CALL": build_unpack("tuple_call"),
    "BUILD_MAP_UNPACK_WITH_CALL": build_unpack("map_call"),
}


def legacy_functions(version: Version) -> Dict[str, Step]:
    table = dict(_FUNCTIONS)
    if version == (3, 8):
        table["COMPARE_OP"] = compare_op
    return table
