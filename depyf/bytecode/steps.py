"""Which lowering functions each version has, for the opcodes that need more than a line of the table in `lowering`.

The functions are in `steps_flow`, `steps_values` and, for 3.8 to 3.10 only, `steps_legacy`.
"""

from __future__ import annotations

from typing import Any, Dict

from depyf.bytecode import steps_flow as flow
from depyf.bytecode import steps_values as values
from depyf.bytecode.canonical import ABOVE, BELOW
from depyf.bytecode.opcodes import Version
from depyf.bytecode.steps_flow import Step

_COMMON: Dict[str, Step] = {
    "JUMP_FORWARD": flow.jump,
    "JUMP_BACKWARD": flow.jump,
    "JUMP_BACKWARD_NO_INTERRUPT": flow.jump,
    "JUMP_ABSOLUTE": flow.jump,
    "POP_JUMP_IF_TRUE": flow.pop_jump(True),
    "POP_JUMP_IF_FALSE": flow.pop_jump(False),
    "POP_JUMP_IF_NONE": flow.pop_jump_none(True),
    "POP_JUMP_IF_NOT_NONE": flow.pop_jump_none(False),
    "POP_JUMP_FORWARD_IF_TRUE": flow.pop_jump(True),
    "POP_JUMP_FORWARD_IF_FALSE": flow.pop_jump(False),
    "POP_JUMP_FORWARD_IF_NONE": flow.pop_jump_none(True),
    "POP_JUMP_FORWARD_IF_NOT_NONE": flow.pop_jump_none(False),
    "POP_JUMP_BACKWARD_IF_TRUE": flow.pop_jump(True),
    "POP_JUMP_BACKWARD_IF_FALSE": flow.pop_jump(False),
    "POP_JUMP_BACKWARD_IF_NONE": flow.pop_jump_none(True),
    "POP_JUMP_BACKWARD_IF_NOT_NONE": flow.pop_jump_none(False),
    "JUMP_IF_TRUE_OR_POP": flow.jump_or_pop(True),
    "JUMP_IF_FALSE_OR_POP": flow.jump_or_pop(False),
    "FOR_ITER": flow.for_iter(1),
    "RETURN_VALUE": flow.return_value,
    "RETURN_CONST": flow.return_const,
    "RAISE_VARARGS": flow.raise_varargs,
    "RERAISE": flow.reraise(1),
    "END_ASYNC_FOR": flow.end_async_for(2),
    "COPY": flow.copy,
    "SWAP": flow.swap,
    "LOAD_METHOD": values.load_method,
    "LOAD_CLASSDEREF": values.load_classderef,
    "COMPARE_OP": values.compare_op(0, 0),
    "IS_OP": values.is_op,
    "CONTAINS_OP": values.contains_op,
    "BINARY_OP": values.binary_op,
    "BINARY_SLICE": values.binary_slice,
    "STORE_SLICE": values.store_slice,
    "BUILD_SLICE": values.build_slice,
    "FORMAT_VALUE": values.format_value,
    "CONVERT_VALUE": values.convert_value,
    "UNPACK_EX": values.unpack_ex,
    "KW_NAMES": values.kw_names,
    "MAKE_FUNCTION": values.make_function,
    "CALL_INTRINSIC_1": values.intrinsic(1),
    "CALL_INTRINSIC_2": values.intrinsic(2),
    "IMPORT_NAME": values.import_name,
    "RETURN_GENERATOR": flow.return_generator,
    "SEND": flow.send(1),
    "END_SEND": flow.end_send(1),
    "SET_FUNCTION_ATTRIBUTE": values.set_function_attribute,
    "LOAD_FAST_LOAD_FAST": values.two_locals("LOAD_LOCAL", "LOAD_LOCAL"),
    "LOAD_FAST_BORROW_LOAD_FAST_BORROW": values.two_locals("LOAD_LOCAL", "LOAD_LOCAL"),
    "STORE_FAST_LOAD_FAST": values.two_locals("STORE_LOCAL", "LOAD_LOCAL"),
    "STORE_FAST_STORE_FAST": values.two_locals("STORE_LOCAL", "STORE_LOCAL"),
    "LOAD_COMMON_CONSTANT": values.load_common_constant(5),
    "LOAD_SMALL_INT": values.load_small_int,
    "LOAD_SPECIAL": flow.load_special,
    "BUILD_INTERPOLATION": values.build_interpolation,
    "CLEANUP_THROW": flow.cleanup_throw,
    "CHECK_EXC_MATCH": flow.check_exc_match,
}


def functions(version: Version) -> Dict[str, Any]:
    """The lowering functions of a version by opcode name; names it does not have do no harm."""
    table = dict(_COMMON)
    if version >= (3, 11):
        null = ABOVE if version >= (3, 13) else BELOW
        table["COPY_FREE_VARS"] = values.copy_free_vars
        table["YIELD_VALUE"] = flow.yield_value
        table["LOAD_GLOBAL"] = values.load_global(null)
        table["CALL"] = values.call(null)
        table["CALL_FUNCTION_EX"] = values.call_function_ex(null)
    if version >= (3, 12):
        table["LOAD_ATTR"] = values.load_attr(null)
        table["LOAD_SUPER_ATTR"] = values.load_super_attr(null)
        table["COMPARE_OP"] = values.compare_op(4, 0)
    if version >= (3, 13):
        table["COMPARE_OP"] = values.compare_op(5, 16)
        table["CALL_KW"] = values.call_kw(ABOVE)
        table["MAKE_FUNCTION"] = values.make_plain_function
    if version >= (3, 14):
        table["CALL_FUNCTION_EX"] = lambda b, index, arg: b.emit("CALL_EX", (True, ABOVE), index)
    if version >= (3, 15):
        table["LOAD_COMMON_CONSTANT"] = values.load_common_constant(12)
        table["GET_ITER"] = flow.get_iter_flags
        table["FOR_ITER"] = flow.for_iter(2)
        table["POP_ITER"] = flow.pop_iter
        table["SEND"] = flow.send(2)
        table["END_SEND"] = flow.end_send(2)
        table["IMPORT_NAME"] = values.import_name_flags
    return table
