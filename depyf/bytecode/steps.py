"""Lowering functions: opcodes that need more than a line of the table in `lowering`.

Each takes the builder, the raw instruction's index and its argument. `functions` puts together those of a version;
what depends on the version is bound there, so that the functions themselves do not ask.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Tuple

from depyf.bytecode.builder import Builder
from depyf.bytecode.canonical import ABOVE, BELOW, FUNCTION_FIELDS, NONE
from depyf.bytecode.opcodes import Version

Step = Callable[[Builder, int, int], None]

COMPARISONS = ("<", "<=", "==", "!=", ">", ">=")
_BINARY_OPERATORS = ("+", "&", "//", "<<", "@", "*", "%", "|", "**", ">>", "-", "/", "^")
_INTRINSICS = {
    1: "INVALID PRINT IMPORT_STAR STOPITERATION_ERROR ASYNC_GEN_WRAP UNARY_POSITIVE LIST_TO_TUPLE TYPEVAR PARAMSPEC "
    "TYPEVARTUPLE SUBSCRIPT_GENERIC TYPEALIAS".split(),
    2: "INVALID PREP_RERAISE_STAR TYPEVAR_WITH_BOUND TYPEVAR_WITH_CONSTRAINTS SET_FUNCTION_TYPE_PARAMS "
    "SET_TYPEPARAM_DEFAULT".split(),
}
_COMMON_CONSTANTS: Tuple[Tuple[str, Any], ...] = (
    *[("BUILTIN", name) for name in "AssertionError NotImplementedError tuple all any list set".split()],
    *[("CONST", value) for value in (None, "", True, False, -1)],
)
_SPECIAL_METHODS = ("__enter__", "__exit__", "__aenter__", "__aexit__")
CONVERSIONS = (None, "s", "r", "a")


# --- jumps ---------------------------------------------------------------------------------------------------------


def jump(b: Builder, index: int, arg: int) -> None:
    b.end("JUMP", None, index, (b.raw.targets[index],))


def pop_jump(jump_if: bool) -> Step:
    def step(b: Builder, index: int, arg: int) -> None:
        b.test(index)
        b.branch(index, jump_if)

    return step


def pop_jump_none(jump_if: bool) -> Step:
    def step(b: Builder, index: int, arg: int) -> None:
        b.emit("CONST", None, index)
        b.emit("IS", False, index)
        b.branch(index, jump_if)

    return step


def jump_or_pop(jump_if: bool) -> Step:
    def step(b: Builder, index: int, arg: int) -> None:
        b.emit("COPY", 1, index)
        b.emit("TRUTH", None, index)
        b.branch_here(index, jump_if)
        b.emit("POP", None, index)

    return step


def for_iter(slots: int) -> Step:
    def step(b: Builder, index: int, arg: int) -> None:
        b.end("NEXT", (slots, b.loop_exits.get(index, True)), index, (None, b.raw.targets[index]))

    return step


def return_value(b: Builder, index: int, arg: int) -> None:
    b.end("RETURN", None, index)


def return_const(b: Builder, index: int, arg: int) -> None:
    b.emit("CONST", b.look("consts", arg, index), index)
    b.end("RETURN", None, index)


def raise_varargs(b: Builder, index: int, arg: int) -> None:
    if arg > 2:
        raise b.raw.error(f"raise of {arg} values", index)
    b.end("RAISE", arg, index)


def reraise(slots: int) -> Step:
    def step(b: Builder, index: int, arg: int) -> None:
        b.end("RERAISE", (slots, bool(arg)), index)

    return step


def end_async_for(slots: int) -> Step:
    def step(b: Builder, index: int, arg: int) -> None:
        b.end("END_ASYNC_FOR", slots, index, (None,))

    return step


# --- stack ---------------------------------------------------------------------------------------------------------


def copy(b: Builder, index: int, arg: int) -> None:
    if arg < 1:
        raise b.raw.error("copy of slot 0", index)
    b.emit("COPY", arg, index)


def swap(b: Builder, index: int, arg: int) -> None:
    if arg < 2:
        raise b.raw.error(f"swap with slot {arg}", index)
    b.emit("SWAP", arg, index)


# --- names and attributes ------------------------------------------------------------------------------------------


def load_global(null: str) -> Step:
    def step(b: Builder, index: int, arg: int) -> None:
        if arg & 1 and null == BELOW:
            b.emit("NULL", None, index)
        b.emit("LOAD_GLOBAL", b.look("names", arg >> 1, index), index)
        if arg & 1 and null == ABOVE:
            b.emit("NULL", None, index)

    return step


def _attribute(b: Builder, index: int, name: str, method: int, null: str) -> None:
    b.emit("LOAD_ATTR", name, index)
    if method:
        b.emit("NULL", None, index)
        if null == BELOW:
            b.emit("SWAP", 2, index)


def load_attr(null: str) -> Step:
    return lambda b, index, arg: _attribute(b, index, b.look("names", arg >> 1, index), arg & 1, null)


def load_method(b: Builder, index: int, arg: int) -> None:
    _attribute(b, index, b.look("names", arg, index), 1, BELOW)


def load_super_attr(null: str) -> Step:
    def step(b: Builder, index: int, arg: int) -> None:
        if arg & 2:  # written with both arguments
            b.emit("CALL", (2, NONE), index)
        else:
            b.emit("SUPER", None, index)
        _attribute(b, index, b.look("names", arg >> 2, index), arg & 1, null)

    return step


def load_classderef(b: Builder, index: int, arg: int) -> None:
    b.emit("LOAD_LOCALS", None, index)
    b.emit("LOAD_DICT_OR_CELL", b.look("cells", arg, index), index)


def two_locals(first: str, second: str) -> Step:
    """Two fused instructions; each index has four bits."""

    def step(b: Builder, index: int, arg: int) -> None:
        b.emit(first, b.look("locals", arg >> 4, index), index)
        b.emit(second, b.look("locals", arg & 15, index), index)

    return step


# --- operators and formatting --------------------------------------------------------------------------------------


def compare_op(shift: int, bool_bit: int) -> Step:
    def step(b: Builder, index: int, arg: int) -> None:
        if arg >> shift >= len(COMPARISONS):
            raise b.raw.error(f"unknown comparison {arg}", index)
        b.emit("COMPARE", COMPARISONS[arg >> shift], index)
        if arg & bool_bit:
            b.emit("TRUTH", None, index)

    return step


def is_op(b: Builder, index: int, arg: int) -> None:
    b.emit("IS", bool(arg), index)


def contains_op(b: Builder, index: int, arg: int) -> None:
    b.emit("CONTAINS", bool(arg), index)


def binary_op(b: Builder, index: int, arg: int) -> None:
    if arg < 13:
        b.emit("BINARY", _BINARY_OPERATORS[arg], index)
    elif arg < 26:
        b.emit("INPLACE", _BINARY_OPERATORS[arg - 13], index)
    elif arg == 26 and b.raw.layout.version >= (3, 14):
        b.emit("LOAD_ITEM", None, index)
    else:
        raise b.raw.error(f"unknown operator {arg}", index)


def binary_slice(b: Builder, index: int, arg: int) -> None:
    b.emit("BUILD_SLICE", 2, index)
    b.emit("LOAD_ITEM", None, index)


def store_slice(b: Builder, index: int, arg: int) -> None:
    b.emit("BUILD_SLICE", 2, index)
    b.emit("STORE_ITEM", None, index)


def build_slice(b: Builder, index: int, arg: int) -> None:
    if arg not in (2, 3):
        raise b.raw.error(f"slice of {arg} parts", index)
    b.emit("BUILD_SLICE", arg, index)


def format_value(b: Builder, index: int, arg: int) -> None:
    """Up to 3.12 the value is converted after the format specification was evaluated, which lies above it."""
    conversion, has_spec = CONVERSIONS[arg & 3], bool(arg & 4)
    if conversion is not None:
        if has_spec:
            b.emit("SWAP", 2, index)
        b.emit("CONVERT", conversion, index)
        if has_spec:
            b.emit("SWAP", 2, index)
    b.emit("FORMAT", has_spec, index)


def convert_value(b: Builder, index: int, arg: int) -> None:
    if not 1 <= arg <= 3:
        raise b.raw.error(f"unknown conversion {arg}", index)
    b.emit("CONVERT", CONVERSIONS[arg], index)


def unpack_ex(b: Builder, index: int, arg: int) -> None:
    b.emit("UNPACK_EX", (arg & 0xFF, arg >> 8), index)


# --- calls and functions -------------------------------------------------------------------------------------------


def kw_names(b: Builder, index: int, arg: int) -> None:
    b.emit("CONST", b.look("consts", arg, index), index)
    b.keywords = True


def call(null: str) -> Step:
    keyword_call = call_kw(null)

    def step(b: Builder, index: int, arg: int) -> None:
        if index in b.enters:
            b.emit(b.enters[index], 2, index)
            return
        if b.keywords:
            b.keywords = False
            keyword_call(b, index, arg)
        else:
            b.emit("CALL", (arg, null), index)

    return step


def call_kw(null: str) -> Step:
    def step(b: Builder, index: int, arg: int) -> None:
        if b.open and b.instructions and b.instructions[-1].op == "CONST":
            names = b.instructions[-1].arg
            if type(names) is not tuple or len(names) > arg:
                raise b.raw.error(f"keyword names {names!r} for {arg} arguments", index)
        b.emit("CALL_KW", (arg, null), index)

    return step


def call_function_ex(null: str) -> Step:
    return lambda b, index, arg: b.emit("CALL_EX", (bool(arg & 1), null), index)


def function_fields(flags: int) -> Tuple[str, ...]:
    return tuple(field for bit, field in enumerate(FUNCTION_FIELDS[:4]) if flags >> bit & 1)


def make_function(b: Builder, index: int, arg: int) -> None:
    if arg > 15:
        raise b.raw.error(f"unknown function flags {arg}", index)
    b.emit("MAKE_FUNCTION", function_fields(arg), index)


def make_plain_function(b: Builder, index: int, arg: int) -> None:
    b.emit("MAKE_FUNCTION", (), index)


def set_function_attribute(b: Builder, index: int, arg: int) -> None:
    fields = [field for bit, field in enumerate(FUNCTION_FIELDS[:5]) if arg == 1 << bit]
    if not fields:
        raise b.raw.error(f"unknown function attribute {arg}", index)
    b.emit("SET_FUNCTION_FIELD", fields[0], index)


def load_common_constant(b: Builder, index: int, arg: int) -> None:
    if arg >= len(_COMMON_CONSTANTS):
        raise b.raw.error(f"unknown common constant {arg}", index)
    b.emit(*_COMMON_CONSTANTS[arg], index)


def load_small_int(b: Builder, index: int, arg: int) -> None:
    b.emit("CONST", arg, index)


def build_interpolation(b: Builder, index: int, arg: int) -> None:
    if arg >> 2 >= len(CONVERSIONS):
        raise b.raw.error(f"unknown conversion {arg >> 2}", index)
    b.emit("BUILD_INTERPOLATION", (CONVERSIONS[arg >> 2], bool(arg & 1)), index)


def intrinsic(n: int) -> Step:
    names = _INTRINSICS[n]

    def step(b: Builder, index: int, arg: int) -> None:
        name = names[arg] if arg < len(names) else "INVALID"
        if name == "INVALID":
            raise b.raw.error(f"unknown intrinsic {arg}", index)
        if name in ("PRINT", "IMPORT_STAR"):
            b.emit(name, None, index)
            b.emit("CONST", None, index)
        elif name == "UNARY_POSITIVE":
            b.emit("UNARY", "+", index)
        elif name in ("LIST_TO_TUPLE", "PREP_RERAISE_STAR"):
            b.emit(name, None, index)
        elif name == "ASYNC_GEN_WRAP":
            b.folded.append(b.raw.offsets[index])
        else:
            b.emit("INTRINSIC", (name, n), index)

    return step


# --- imports, generators, exceptions -------------------------------------------------------------------------------


def import_name(b: Builder, index: int, arg: int) -> None:
    b.emit("IMPORT", (b.look("names", arg, index), False), index)


def import_name_flags(b: Builder, index: int, arg: int) -> None:
    """3.15: bit 0 asks for a lazy import, bit 1 forbids one; without either the interpreter's mode decides."""
    b.emit("IMPORT", (b.look("names", arg >> 2, index), (False, True, None, None)[arg & 3]), index)


def return_generator(b: Builder, index: int, arg: int) -> None:
    """The None that resumes the generator is pushed here and popped by the next instruction, which `folds` absorbs."""
    b.emit("GENERATOR", b.leaks, index)


def send(slots: int) -> Step:
    """`folds` has removed the rest of the loop; the target is where it ends."""

    def step(b: Builder, index: int, arg: int) -> None:
        if index not in b.sends:
            b.refuse("SEND without the loop around it", index)
            return
        b.emit("YIELD_FROM", slots, index)
        b.end("JUMP", None, index, (b.raw.targets[index],))

    return step


def end_send(slots: int) -> Step:
    def step(b: Builder, index: int, arg: int) -> None:
        for n in range(2, 2 + slots):
            b.emit("SWAP", n, index)
        for _ in range(slots):
            b.emit("POP", None, index)

    return step


def get_iter_flags(b: Builder, index: int, arg: int) -> None:
    """3.15: one opcode for all ways to get an iterator, which takes two slots of the stack."""
    if arg not in (0, 3):
        raise b.raw.error(f"unknown kind of iteration {arg}", index)
    b.emit("YIELD_FROM_ITER" if arg else "ITER", 2, index)


def pop_iter(b: Builder, index: int, arg: int) -> None:
    b.emit("POP", None, index)
    b.emit("POP", None, index)


def load_special(b: Builder, index: int, arg: int) -> None:
    """The first of the with statement's two; `folds` has marked those that are part of an ENTER."""
    if arg >= len(_SPECIAL_METHODS):
        raise b.raw.error(f"unknown special method {arg}", index)
    b.emit("LOAD_SPECIAL", _SPECIAL_METHODS[arg], index)


def cleanup_throw(b: Builder, index: int, arg: int) -> None:
    b.refuse("CLEANUP_THROW outside of a SEND loop", index)


def check_exc_match(b: Builder, index: int, arg: int) -> None:
    b.emit("COPY", 2, index)
    b.emit("SWAP", 2, index)
    b.emit("EXC_MATCH", None, index)


# --- what each version has -----------------------------------------------------------------------------------------

_COMMON: Dict[str, Step] = {
    "JUMP_FORWARD": jump,
    "JUMP_BACKWARD": jump,
    "JUMP_BACKWARD_NO_INTERRUPT": jump,
    "JUMP_ABSOLUTE": jump,
    "POP_JUMP_IF_TRUE": pop_jump(True),
    "POP_JUMP_IF_FALSE": pop_jump(False),
    "POP_JUMP_IF_NONE": pop_jump_none(True),
    "POP_JUMP_IF_NOT_NONE": pop_jump_none(False),
    "POP_JUMP_FORWARD_IF_TRUE": pop_jump(True),
    "POP_JUMP_FORWARD_IF_FALSE": pop_jump(False),
    "POP_JUMP_FORWARD_IF_NONE": pop_jump_none(True),
    "POP_JUMP_FORWARD_IF_NOT_NONE": pop_jump_none(False),
    "POP_JUMP_BACKWARD_IF_TRUE": pop_jump(True),
    "POP_JUMP_BACKWARD_IF_FALSE": pop_jump(False),
    "POP_JUMP_BACKWARD_IF_NONE": pop_jump_none(True),
    "POP_JUMP_BACKWARD_IF_NOT_NONE": pop_jump_none(False),
    "JUMP_IF_TRUE_OR_POP": jump_or_pop(True),
    "JUMP_IF_FALSE_OR_POP": jump_or_pop(False),
    "FOR_ITER": for_iter(1),
    "RETURN_VALUE": return_value,
    "RETURN_CONST": return_const,
    "RAISE_VARARGS": raise_varargs,
    "RERAISE": reraise(1),
    "END_ASYNC_FOR": end_async_for(2),
    "COPY": copy,
    "SWAP": swap,
    "LOAD_METHOD": load_method,
    "LOAD_CLASSDEREF": load_classderef,
    "COMPARE_OP": compare_op(0, 0),
    "IS_OP": is_op,
    "CONTAINS_OP": contains_op,
    "BINARY_OP": binary_op,
    "BINARY_SLICE": binary_slice,
    "STORE_SLICE": store_slice,
    "BUILD_SLICE": build_slice,
    "FORMAT_VALUE": format_value,
    "CONVERT_VALUE": convert_value,
    "UNPACK_EX": unpack_ex,
    "KW_NAMES": kw_names,
    "MAKE_FUNCTION": make_function,
    "CALL_INTRINSIC_1": intrinsic(1),
    "CALL_INTRINSIC_2": intrinsic(2),
    "IMPORT_NAME": import_name,
    "RETURN_GENERATOR": return_generator,
    "SEND": send(1),
    "END_SEND": end_send(1),
    "SET_FUNCTION_ATTRIBUTE": set_function_attribute,
    "LOAD_FAST_LOAD_FAST": two_locals("LOAD_LOCAL", "LOAD_LOCAL"),
    "LOAD_FAST_BORROW_LOAD_FAST_BORROW": two_locals("LOAD_LOCAL", "LOAD_LOCAL"),
    "STORE_FAST_LOAD_FAST": two_locals("STORE_LOCAL", "LOAD_LOCAL"),
    "STORE_FAST_STORE_FAST": two_locals("STORE_LOCAL", "STORE_LOCAL"),
    "LOAD_COMMON_CONSTANT": load_common_constant,
    "LOAD_SMALL_INT": load_small_int,
    "LOAD_SPECIAL": load_special,
    "BUILD_INTERPOLATION": build_interpolation,
    "CLEANUP_THROW": cleanup_throw,
    "CHECK_EXC_MATCH": check_exc_match,
}


def functions(version: Version) -> Dict[str, Any]:
    """The lowering functions of a version by opcode name; names it does not have do no harm."""
    table = dict(_COMMON)
    if version >= (3, 11):
        null = ABOVE if version >= (3, 13) else BELOW
        table["LOAD_GLOBAL"] = load_global(null)
        table["CALL"] = call(null)
        table["CALL_FUNCTION_EX"] = call_function_ex(null)
    if version >= (3, 12):
        table["LOAD_ATTR"] = load_attr(null)
        table["LOAD_SUPER_ATTR"] = load_super_attr(null)
        table["COMPARE_OP"] = compare_op(4, 0)
    if version >= (3, 13):
        table["COMPARE_OP"] = compare_op(5, 16)
        table["CALL_KW"] = call_kw(ABOVE)
        table["MAKE_FUNCTION"] = make_plain_function
    if version >= (3, 14):
        table["CALL_FUNCTION_EX"] = lambda b, index, arg: b.emit("CALL_EX", (True, ABOVE), index)
    if version >= (3, 15):
        table["GET_ITER"] = get_iter_flags
        table["FOR_ITER"] = for_iter(2)
        table["POP_ITER"] = pop_iter
        table["SEND"] = send(2)
        table["END_SEND"] = end_send(2)
        table["IMPORT_NAME"] = import_name_flags
    return table
