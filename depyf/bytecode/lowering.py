"""What each opcode of each version becomes: the table from raw to canonical instructions.

An entry says in data what most opcodes need (nothing, one instruction with a fixed argument, with the raw argument,
or with a looked-up one); the rest are functions out of `steps`. This is the one place that knows opcode meanings.
"""

from __future__ import annotations

from functools import lru_cache
from typing import AbstractSet, Any, Dict, List, Optional, Tuple

from depyf.bytecode import steps
from depyf.bytecode.builder import Builder
from depyf.bytecode.canonical import Instruction
from depyf.bytecode.opcodes import Version
from depyf.bytecode.raw import layout_of
from depyf.bytecode.steps_legacy import legacy_functions

# kinds of entry
VANISH, FIXED, WITH_ARGUMENT, LOOKUP, FUNCTION = range(5)
Entry = Tuple[int, str, Any, bool]  # kind; canonical op; argument, pool or function; cannot raise, so never splits

CONSTS, NAMES, LOCALS, CELLS = "consts", "names", "locals", "cells"

_VANISHING = "NOP RESUME NOT_TAKEN PRECALL GEN_START ASYNC_GEN_WRAP POP_BLOCK BEGIN_FINALLY".split()

_PLAIN = {
    "POP_TOP": "POP",
    "PUSH_NULL": "NULL",
    "LOAD_LOCALS": "LOAD_LOCALS",
    "BINARY_SUBSCR": "LOAD_ITEM",
    "STORE_SUBSCR": "STORE_ITEM",
    "DELETE_SUBSCR": "DELETE_ITEM",
    "UNARY_NOT": "NOT",
    "TO_BOOL": "TRUTH",
    "LIST_TO_TUPLE": "LIST_TO_TUPLE",
    "BUILD_TEMPLATE": "BUILD_TEMPLATE",
    "PRINT_EXPR": "PRINT",
    "IMPORT_STAR": "IMPORT_STAR",
    "SETUP_ANNOTATIONS": "SETUP_ANNOTATIONS",
    "GET_AITER": "AITER",
    "GET_ANEXT": "ANEXT",
    "YIELD_VALUE": "YIELD",
    "PUSH_EXC_INFO": "PUSH_EXC",
    "CHECK_EG_MATCH": "EG_MATCH",
    "PREP_RERAISE_STAR": "PREP_RERAISE_STAR",
    "MATCH_MAPPING": "MATCH_MAPPING",
    "MATCH_SEQUENCE": "MATCH_SEQUENCE",
    "MATCH_KEYS": "MATCH_KEYS",
    "GET_LEN": "GET_LEN",
    "COPY_DICT_WITHOUT_KEYS": "COPY_DICT_WITHOUT_KEYS",
    "END_FOR": "POP",
    "POP_ITER": "POP",
}

_FIXED: Dict[str, Tuple[str, Any]] = {
    "UNARY_POSITIVE": ("UNARY", "+"),
    "UNARY_NEGATIVE": ("UNARY", "-"),
    "UNARY_INVERT": ("UNARY", "~"),
    "LOAD_ASSERTION_ERROR": ("BUILTIN", "AssertionError"),
    "LOAD_BUILD_CLASS": ("BUILTIN", "__build_class__"),
    "GET_ITER": ("ITER", 1),
    "GET_YIELD_FROM_ITER": ("YIELD_FROM_ITER", 1),
    "BEFORE_WITH": ("ENTER", 1),
    "BEFORE_ASYNC_WITH": ("ENTER_ASYNC", 1),
    "WITH_EXCEPT_START": ("WITH_EXCEPT", (4, 1)),
    "POP_EXCEPT": ("POP_EXCEPT", 1),
    "FORMAT_SIMPLE": ("FORMAT", False),
    "FORMAT_WITH_SPEC": ("FORMAT", True),
}

_WITH_ARGUMENT = {
    "BUILD_TUPLE": "BUILD_TUPLE",
    "BUILD_LIST": "BUILD_LIST",
    "BUILD_SET": "BUILD_SET",
    "BUILD_STRING": "BUILD_STRING",
    "BUILD_MAP": "BUILD_MAP",
    "BUILD_CONST_KEY_MAP": "BUILD_CONST_KEY_MAP",
    "LIST_APPEND": "LIST_APPEND",
    "SET_ADD": "SET_ADD",
    "MAP_ADD": "MAP_ADD",
    "LIST_EXTEND": "LIST_EXTEND",
    "SET_UPDATE": "SET_UPDATE",
    "DICT_UPDATE": "DICT_UPDATE",
    "DICT_MERGE": "DICT_MERGE",
    "UNPACK_SEQUENCE": "UNPACK",
    "MATCH_CLASS": "MATCH_CLASS",
    "GET_AWAITABLE": "AWAITABLE",
}

_LOOKUP: Dict[str, Tuple[str, str]] = {
    "LOAD_CONST": ("CONST", CONSTS),
    "LOAD_FAST": ("LOAD_LOCAL", LOCALS),
    "LOAD_FAST_BORROW": ("LOAD_LOCAL", LOCALS),
    "LOAD_FAST_CHECK": ("LOAD_LOCAL", LOCALS),
    "LOAD_FAST_AND_CLEAR": ("LOAD_CLEAR", LOCALS),
    "STORE_FAST": ("STORE_LOCAL", LOCALS),
    "DELETE_FAST": ("DELETE_LOCAL", LOCALS),
    "MAKE_CELL": ("MAKE_CELL", CELLS),
    "LOAD_CLOSURE": ("LOAD_CLOSURE", CELLS),
    "LOAD_DEREF": ("LOAD_CELL", CELLS),
    "STORE_DEREF": ("STORE_CELL", CELLS),
    "DELETE_DEREF": ("DELETE_CELL", CELLS),
    "LOAD_FROM_DICT_OR_DEREF": ("LOAD_DICT_OR_CELL", CELLS),
    "LOAD_FROM_DICT_OR_GLOBALS": ("LOAD_DICT_OR_GLOBAL", NAMES),
    "LOAD_GLOBAL": ("LOAD_GLOBAL", NAMES),
    "STORE_GLOBAL": ("STORE_GLOBAL", NAMES),
    "DELETE_GLOBAL": ("DELETE_GLOBAL", NAMES),
    "LOAD_NAME": ("LOAD_NAME", NAMES),
    "STORE_NAME": ("STORE_NAME", NAMES),
    "DELETE_NAME": ("DELETE_NAME", NAMES),
    "LOAD_ATTR": ("LOAD_ATTR", NAMES),
    "STORE_ATTR": ("STORE_ATTR", NAMES),
    "DELETE_ATTR": ("DELETE_ATTR", NAMES),
    "IMPORT_FROM": ("IMPORT_FROM", NAMES),
}

_OPERATORS = {
    "ADD": "+", "SUBTRACT": "-", "MULTIPLY": "*", "MATRIX_MULTIPLY": "@", "TRUE_DIVIDE": "/", "FLOOR_DIVIDE": "//",
    "MODULO": "%", "POWER": "**", "LSHIFT": "<<", "RSHIFT": ">>", "AND": "&", "XOR": "^", "OR": "|",
}  # fmt: skip

# instructions that cannot raise: a change of handler just before them needs no new block
_QUIET = "JUMP_FORWARD JUMP_BACKWARD JUMP_ABSOLUTE JUMP_BACKWARD_NO_INTERRUPT RETURN_VALUE RETURN_CONST".split()
# since 3.13 a jump does not test truth, TO_BOOL does
_QUIET_JUMPS = "POP_JUMP_IF_TRUE POP_JUMP_IF_FALSE POP_JUMP_IF_NONE POP_JUMP_IF_NOT_NONE".split()


@lru_cache(maxsize=None)
def entries_of(version: Version) -> List[Optional[Entry]]:
    """Opcode number -> entry; None for what no code object of the version holds."""
    by_name: Dict[str, Entry] = dict.fromkeys(_VANISHING, (VANISH, "", None, True))
    for name, op in _PLAIN.items():
        by_name[name] = (FIXED, op, None, False)
    for name, (op, argument) in _FIXED.items():
        by_name[name] = (FIXED, op, argument, False)
    for name, op in _WITH_ARGUMENT.items():
        by_name[name] = (WITH_ARGUMENT, op, None, False)
    for name, (op, pool) in _LOOKUP.items():
        by_name[name] = (LOOKUP, op, pool, False)
    for suffix, operator in _OPERATORS.items():
        by_name["BINARY_" + suffix] = (FIXED, "BINARY", operator, False)
        by_name["INPLACE_" + suffix] = (FIXED, "INPLACE", operator, False)
    if version <= (3, 10):
        by_name["WITH_EXCEPT_START"] = (FIXED, "WITH_EXCEPT", (7, 1), False)
        by_name["POP_EXCEPT"] = (FIXED, "POP_EXCEPT", 3, False)
        by_name["YIELD_FROM"] = (FIXED, "YIELD_FROM", 1, False)
    if version >= (3, 14):
        by_name["WITH_EXCEPT_START"] = (FIXED, "WITH_EXCEPT", (5, 2), False)
    quiet = _QUIET + (_QUIET_JUMPS if version >= (3, 13) else [])
    functions = steps.functions(version)
    if version <= (3, 10):
        functions.update(legacy_functions(version))
    for name, function in functions.items():
        by_name[name] = (FUNCTION, "", function, name in quiet)
    table: List[Optional[Entry]] = [None] * 256
    for name, number in layout_of(version).number.items():
        if name != "EXTENDED_ARG":
            table[number] = by_name[name]
    return table


def lower(builder: Builder, leaders: AbstractSet[int]) -> None:
    """Lower every raw instruction in order; a block begins at each index in `leaders`."""
    raw, pools = builder.raw, builder.pools
    ops, args, offsets, lines, nexts = raw.ops, raw.args, raw.offsets, raw.lines, raw.nexts
    table = entries_of(raw.layout.version)
    covering = builder.protection.covering
    handler_of = builder.handler_of
    folded = builder.folded
    for index, number in enumerate(ops):
        if nexts and index - 1 in nexts:
            builder.go_on(index - 1)
        if index in leaders:
            builder.begin(index)
        kind, op, argument, quiet = table[number]  # type: ignore[misc]
        if kind == VANISH:
            folded.append(offsets[index])
            continue
        if covering is not None and not (builder.open and covering[index] == handler_of[-1]):
            builder.cover(covering[index], index, quiet)
        if kind == FUNCTION:
            argument(builder, index, args[index])
            continue
        # the rest of the loop is `emit`, without the call: most instructions come here
        if kind == LOOKUP:
            try:
                argument = pools[argument][args[index]]
            except IndexError:
                raise raw.error(f"argument {args[index]} is past the end of the {argument}", index) from None
        elif kind == WITH_ARGUMENT:
            argument = args[index]
        if not builder.open:
            builder.open_block(index)
        builder.instructions.append(Instruction(op, argument, offsets[index], lines[index]))
    if len(ops) - 1 in nexts:
        builder.go_on(len(ops) - 1)
