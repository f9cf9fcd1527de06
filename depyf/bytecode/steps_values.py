"""Lowering functions for values: names, attributes, operators, strings, calls, functions, imports.

Each takes the builder, the raw instruction's index and its argument; what depends on the version is bound beforehand.
"""

from __future__ import annotations

from typing import Any, Tuple

from depyf.bytecode.builder import Builder
from depyf.bytecode.canonical import ABOVE, BELOW, FUNCTION_FIELDS, NONE, Instruction
from depyf.bytecode.steps_flow import Step

COMPARISONS = ("<", "<=", "==", "!=", ">", ">=")
_BINARY_OPERATORS = ("+", "&", "//", "<<", "@", "*", "%", "|", "**", ">>", "-", "/", "^")
_INTRINSICS = {
    1: "INVALID PRINT IMPORT_STAR STOPITERATION_ERROR ASYNC_GEN_WRAP UNARY_POSITIVE LIST_TO_TUPLE TYPEVAR PARAMSPEC "
    "TYPEVARTUPLE SUBSCRIPT_GENERIC TYPEALIAS".split(),
    2: "INVALID PREP_RERAISE_STAR TYPEVAR_WITH_BOUND TYPEVAR_WITH_CONSTRAINTS SET_FUNCTION_TYPE_PARAMS "
    "SET_TYPEPARAM_DEFAULT".split(),
}
COMMON_CONSTANTS: Tuple[Tuple[str, Any], ...] = (
    *[("BUILTIN", name) for name in "AssertionError NotImplementedError tuple all any list set".split()],
    *[("CONST", value) for value in (None, "", True, False, -1)],
)
CONVERSIONS = (None, "s", "r", "a")


def load_global(null: str) -> Step:
    def step(b: Builder, index: int, arg: int) -> None:
        if arg & 1 and null == BELOW:
            b.emit("NULL", None, index)
        b.emit("LOAD_GLOBAL", b.look("names", arg >> 1, index), index)
        if arg & 1 and null == ABOVE:
            b.emit("NULL", None, index)

    return step


def attribute(b: Builder, index: int, name: str, method: int, null: str) -> None:
    b.emit("LOAD_ATTR", name, index)
    if method:
        offset, line = b.raw.offsets[index], b.raw.lines[index]  # as `emit` would, for what is so frequent
        b.instructions.append(Instruction("NULL", None, offset, line))
        if null == BELOW:
            b.instructions.append(Instruction("SWAP", 2, offset, line))


def load_attr(null: str) -> Step:
    return lambda b, index, arg: attribute(b, index, b.look("names", arg >> 1, index), arg & 1, null)


def load_method(b: Builder, index: int, arg: int) -> None:
    attribute(b, index, b.look("names", arg, index), 1, BELOW)


def load_super_attr(null: str) -> Step:
    def step(b: Builder, index: int, arg: int) -> None:
        if arg & 2:  # written with both arguments
            b.emit("CALL", (2, NONE), index)
        else:
            b.emit("SUPER", None, index)
        attribute(b, index, b.look("names", arg >> 2, index), arg & 1, null)

    return step


def copy_free_vars(b: Builder, index: int, arg: int) -> None:
    """The frame gets the function's cells; without all of them in place, no access to one would be what it seems.

    PyTorch's resume functions keep the start of the function they continue, which has another number, where nothing reaches it.
    """
    if arg != len(b.raw.code.co_freevars):
        b.refuse(f"{arg} of {len(b.raw.code.co_freevars)} free variables are copied", index)
    else:
        b.folded.append(b.raw.offsets[index])


def load_classderef(b: Builder, index: int, arg: int) -> None:
    b.emit("LOAD_LOCALS", None, index)
    b.emit("LOAD_DICT_OR_CELL", b.look("cells", arg, index), index)


def two_locals(first: str, second: str) -> Step:
    """Two fused instructions; each index has four bits."""

    def step(b: Builder, index: int, arg: int) -> None:
        b.emit(first, b.look("locals", arg >> 4, index), index)
        b.emit(second, b.look("locals", arg & 15, index), index)

    return step


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


def load_common_constant(count: int) -> Step:
    """The version knows the first `count` of them."""

    def step(b: Builder, index: int, arg: int) -> None:
        if arg >= count:
            raise b.raw.error(f"unknown common constant {arg}", index)
        b.emit(*COMMON_CONSTANTS[arg], index)

    return step


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


def import_name(b: Builder, index: int, arg: int) -> None:
    b.emit("IMPORT", (b.look("names", arg, index), False), index)


def import_name_flags(b: Builder, index: int, arg: int) -> None:
    """3.15: bit 0 asks for a lazy import, bit 1 forbids one; without either the interpreter's mode decides."""
    b.emit("IMPORT", (b.look("names", arg >> 2, index), (False, True, None, None)[arg & 3]), index)
