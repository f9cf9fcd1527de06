"""Stack effects of the canonical instructions: how many slots each needs and pops, and how many it pushes.

The single place that says so; it follows the table of `canonical`. Terminators with several successors have their
effects in `cfg`, one per edge.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Tuple

from depyf.bytecode.canonical import NONE

Effect = Tuple[int, int]

_BY_EFFECT: Dict[Effect, str] = {
    (0, 0): "DELETE_LOCAL MAKE_CELL DELETE_CELL DELETE_GLOBAL DELETE_NAME SETUP_ANNOTATIONS GENERATOR FALL JUMP",
    (0, 1): "CONST BUILTIN NULL LOAD_LOCAL LOAD_CLEAR LOAD_CELL LOAD_CLOSURE LOAD_LOCALS LOAD_GLOBAL LOAD_NAME",
    (1, 0): "POP STORE_LOCAL STORE_CELL STORE_GLOBAL STORE_NAME DELETE_ATTR PRINT IMPORT_STAR BRANCH RETURN",
    (
        1,
        1,
    ): "LOAD_DICT_OR_CELL LOAD_DICT_OR_GLOBAL LOAD_ATTR UNARY NOT TRUTH LIST_TO_TUPLE CONVERT AWAITABLE AITER YIELD",
    (1, 2): "LOAD_SPECIAL IMPORT_FROM ANEXT PUSH_EXC MATCH_MAPPING MATCH_SEQUENCE GET_LEN",
    (1, 6): "EXC_ENTER",
    (2, 0): "STORE_ATTR DELETE_ITEM",
    (2, 1): "LOAD_ITEM BINARY INPLACE COMPARE IS CONTAINS BUILD_TEMPLATE SET_FUNCTION_FIELD IMPORT EXC_MATCH "
    "PREP_RERAISE_STAR",
    (2, 2): "EG_MATCH COPY_DICT_WITHOUT_KEYS",
    (2, 3): "MATCH_KEYS",
    (3, 0): "STORE_ITEM",
    (3, 1): "SUPER MATCH_CLASS",
}

FIXED: Dict[str, Effect] = {name: effect for effect, names in _BY_EFFECT.items() for name in names.split()}


def _call(extra: int) -> Callable[[Any], Effect]:
    return lambda arg: (arg[0] + extra + (1 if arg[1] == NONE else 2), 1)


def _add_to_container(values: int) -> Callable[[Any], Effect]:
    return lambda depth: (depth + values, depth)


VARIABLE: Dict[str, Callable[[Any], Effect]] = {
    "COPY": lambda n: (n, n + 1),
    "SWAP": lambda n: (n, n),
    "BUILD_TUPLE": lambda n: (n, 1),
    "BUILD_LIST": lambda n: (n, 1),
    "BUILD_SET": lambda n: (n, 1),
    "BUILD_STRING": lambda n: (n, 1),
    "BUILD_SLICE": lambda n: (n, 1),
    "BUILD_MAP": lambda n: (2 * n, 1),
    "BUILD_CONST_KEY_MAP": lambda n: (n + 1, 1),
    "BUILD_UNPACK": lambda arg: (arg[1], 1),
    "LIST_APPEND": _add_to_container(1),
    "SET_ADD": _add_to_container(1),
    "MAP_ADD": _add_to_container(2),
    "LIST_EXTEND": _add_to_container(1),
    "SET_UPDATE": _add_to_container(1),
    "DICT_UPDATE": _add_to_container(1),
    "DICT_MERGE": _add_to_container(1),
    "UNPACK": lambda n: (1, n),
    "UNPACK_EX": lambda arg: (1, arg[0] + 1 + arg[1]),
    "FORMAT": lambda has_spec: (2 if has_spec else 1, 1),
    "BUILD_INTERPOLATION": lambda arg: (3 if arg[1] else 2, 1),
    "CALL": _call(0),
    "CALL_KW": _call(1),
    "CALL_EX": lambda arg: ((2 if arg[0] else 1) + (1 if arg[1] == NONE else 2), 1),
    "MAKE_FUNCTION": lambda fields: (len(fields) + 1, 1),
    "INTRINSIC": lambda arg: (arg[1], 1),
    "ITER": lambda slots: (1, slots),
    "YIELD_FROM_ITER": lambda slots: (1, slots),
    "YIELD_FROM": lambda slots: (slots + 1, 1),
    "ENTER": lambda slots: (1, slots + 1),
    "ENTER_ASYNC": lambda slots: (1, slots + 1),
    "WITH_EXCEPT": lambda arg: (arg[0], arg[0] + 1),
    "POP_EXCEPT": lambda slots: (slots, 0),
    "RAISE": lambda n: (n, 0),
    "RERAISE": lambda arg: (arg[0], 0),
    "NEXT": lambda arg: (arg[0], arg[0] + 1),
    "END_ASYNC_FOR": lambda slots: (slots, 0),
}

OPERATIONS = frozenset(FIXED) | frozenset(VARIABLE)


def effect_of(op: str, arg: Any) -> Effect:
    """(slots needed and popped, slots pushed) of one canonical instruction; NEXT's is that of the way into the body."""
    fixed = FIXED.get(op)
    return VARIABLE[op](arg) if fixed is None else fixed


def edge_depths(op: str, arg: Any, depth: int) -> List[int]:
    """Depths at the successors of a terminator that is reached at `depth`, in the order of the successors."""
    if op == "BRANCH":
        return [depth - 1, depth - 1]
    if op == "NEXT":
        slots, pops = arg
        return [depth + 1, depth - slots if pops else depth]
    if op == "END_ASYNC_FOR":
        return [depth - arg]
    return [depth] if op in ("FALL", "JUMP") else []
