"""Spill stack values: after each instruction that pushes an ordinary value, store it to a fresh named local and load it back.

What comes out behaves as before (locals() aside), so the proof must find it EQUAL: values flow through stack and locals
without being events. NULLs, slots that may hold one, cells and the interpreter's own exception slots are left alone.
"""

from __future__ import annotations

import argparse
import os
import sys
import types
from collections import Counter
from typing import Any, Dict, Iterator, List, Optional, Set, Tuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)

from tools.assembler import PAIRS, VERSION, Instruction, disassemble  # noqa: E402
from tools.sources import CO_OPTIMIZED  # noqa: E402

# instructions that leave one ordinary value on top of the stack, whatever their argument
PUSHES = frozenset(
    """
    LOAD_CONST LOAD_CONST_IMMORTAL LOAD_SMALL_INT LOAD_COMMON_CONSTANT LOAD_NAME LOAD_DEREF LOAD_CLASSDEREF
    LOAD_FROM_DICT_OR_DEREF LOAD_FROM_DICT_OR_GLOBALS LOAD_LOCALS LOAD_BUILD_CLASS LOAD_ASSERTION_ERROR
    LOAD_FAST_CHECK LOAD_FAST_BORROW
    UNARY_POSITIVE UNARY_NEGATIVE UNARY_NOT UNARY_INVERT TO_BOOL
    BINARY_OP BINARY_SUBSCR BINARY_SLICE COMPARE_OP IS_OP CONTAINS_OP
    BUILD_TUPLE BUILD_LIST BUILD_SET BUILD_MAP BUILD_CONST_KEY_MAP BUILD_STRING BUILD_SLICE BUILD_INTERPOLATION BUILD_TEMPLATE
    BUILD_TUPLE_UNPACK BUILD_LIST_UNPACK BUILD_SET_UNPACK BUILD_MAP_UNPACK BUILD_TUPLE_UNPACK_WITH_CALL
    BUILD_MAP_UNPACK_WITH_CALL LIST_TO_TUPLE FORMAT_VALUE FORMAT_SIMPLE FORMAT_WITH_SPEC CONVERT_VALUE
    CALL CALL_KW CALL_FUNCTION CALL_FUNCTION_KW CALL_FUNCTION_EX CALL_METHOD MAKE_FUNCTION SET_FUNCTION_ATTRIBUTE
    IMPORT_NAME IMPORT_FROM YIELD_FROM END_SEND
    GET_LEN MATCH_MAPPING MATCH_SEQUENCE MATCH_KEYS MATCH_CLASS FOR_ITER UNPACK_SEQUENCE
    BEFORE_WITH SETUP_WITH
    """.split()
) | frozenset(
    prefix + name
    for prefix in ("BINARY_", "INPLACE_")
    for name in "ADD SUBTRACT MULTIPLY MATRIX_MULTIPLY TRUE_DIVIDE FLOOR_DIVIDE MODULO POWER LSHIFT RSHIFT AND XOR OR".split()
)
# 3.8 and 3.9 index jumps over the stack's ordinary values only; an iterator is one until 3.15 gives it two slots
ITERATORS = frozenset(("GET_ITER", "GET_YIELD_FROM_ITER", "GET_AWAITABLE")) if VERSION < (3, 15) else frozenset()
# the lowest bit of the argument asks for a second slot, which may be NULL
TWO_SLOTS = frozenset(("LOAD_ATTR", "LOAD_GLOBAL", "LOAD_SUPER_ATTR"))


def _pushes_value(instruction: Instruction, cells: Set[str], resumes_yield: bool) -> bool:
    """Whether an ordinary value is on top after the instruction, when it falls through."""
    op = instruction.op
    if op in ("LOAD_FAST",):
        return instruction.slots[0] not in cells  # 3.13 loads cells this way
    if op in PAIRS:
        return op.startswith("LOAD") and not cells.intersection(instruction.slots)
    if op in TWO_SLOTS:
        if op == "LOAD_GLOBAL" and VERSION < (3, 13):
            return True  # 3.11 and 3.12 put the NULL below
        return VERSION < (3, 11) or not instruction.arg & 1 or (op == "LOAD_ATTR" and VERSION == (3, 11))
    if op == "YIELD_VALUE":
        return VERSION < (3, 11)
    if op == "RESUME":
        return resumes_yield and instruction.arg & 3 == 1
    if op == "UNPACK_SEQUENCE" and instruction.arg == 0:
        return False
    return op in PUSHES or op in ITERATORS


def _owned(instruction: Instruction) -> None:
    """A borrowed reference must not be stored to a local: load an owned one."""
    instruction.op = instruction.op.replace("LOAD_FAST_BORROW", "LOAD_FAST")


def spill(code: types.CodeType) -> types.CodeType:
    """The code with every stack value that can be named kept in a named temporary before it is used."""
    if not code.co_flags & CO_OPTIMIZED:
        return code
    assembly = disassemble(code)
    cells = set(code.co_cellvars) | set(code.co_freevars)
    result: List[Instruction] = []
    for instruction in assembly.instructions:
        _owned(instruction)
        after_yield = bool(result) and result[-1].op == "YIELD_VALUE"
        result.append(instruction)
        if _pushes_value(instruction, cells, after_yield):
            name = f"__spilled_{len(assembly.varnames)}"
            assembly.varnames.append(name)
            result += [Instruction("STORE_FAST", slots=(name,)), Instruction("LOAD_FAST", slots=(name,))]
    assembly.instructions = result
    return assembly.assemble()


def spill_all(code: types.CodeType) -> types.CodeType:
    """`spill` for a code object and every one inside it."""
    constants = tuple(spill_all(item) if isinstance(item, types.CodeType) else item for item in code.co_consts)
    return spill(code.replace(co_consts=constants))


def spilled_outcomes(sources: List[Any], timeout: float) -> Iterator[Tuple[str, Any]]:
    """(module, outcome of the proof) for every function of the sources."""
    from tools.roundtrip import prove
    from tools.sources import compile_source, kind, nested

    for source in sources:
        module = compile_source(source)
        for item in nested(module) if module is not None else ():
            if kind(item.code) in ("function", "comprehension"):
                yield source.name, prove(item.qualname, item.code, spill(item.code), timeout)


def main(arguments: Optional[List[str]] = None) -> int:
    """Prove spilled code equal over the standard library."""
    from tools.progress import percent, progress, table
    from tools.roundtrip import EQUAL, STATUSES, reason_class
    from tools.sources import choose, stdlib_files

    it = argparse.ArgumentParser(prog="spiller", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    it.add_argument("--tests", action="store_true", help="the standard library's tests too")
    it.add_argument("--sample", type=int, help="modules chosen at random")
    it.add_argument("--seed", type=int, default=0)
    it.add_argument("--timeout", type=float, default=60.0, help="seconds for one proof")
    it.add_argument("--reasons", type=int, default=10, help="how many reasons to print")
    it.add_argument("--json", help="write the line of the table here")
    options = it.parse_args(arguments)
    sources = choose(stdlib_files("all" if options.tests else "library"), options.sample, options.seed)
    counts: Dict[str, int] = Counter()
    reasons: Dict[str, List[str]] = {}
    for source in progress(sources, label="spiller"):
        for module, outcome in spilled_outcomes([source], options.timeout):
            counts[outcome.status] += 1
            if outcome.status != EQUAL:
                key = f"{outcome.status}  {reason_class(outcome.reason)}"
                reasons.setdefault(key, []).append(f"{module}:{outcome.qualname}")
    for key, places in sorted(reasons.items(), key=lambda item: -len(item[1]))[: options.reasons]:
        print(f"{len(places):6,}  {key}   e.g. {', '.join(places[:3])}")
    total = sum(counts.values())
    line = ["{}.{}".format(*VERSION), total] + [counts[s] for s in STATUSES] + [percent(counts[EQUAL], total)]
    print(table(("", "functions", *STATUSES, "share"), [line]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
