"""Functions that PyTorch's bytecode makes, calls and forgets: resume functions that close over variables.

The text defines such a function where it is made, with its body for people to read. What text cannot say is carried over
when it is compiled back: the qualified name, the order of free variables, and, once the body is proven equal, the very
code object, since PyTorch knows its resume functions by identity.
"""

from __future__ import annotations

import dis
from types import CodeType
from typing import Dict, Iterator, List, Optional, Sequence, Tuple

from depyf.bytecode.codes import is_function

from .qualified import with_qualified_names

_CLOSURES = ("LOAD_CLOSURE", "LOAD_FAST")  # the latter since 3.13
_BYTE = 256  # an argument from here on needs a prefix


def carry_functions(compiled: CodeType, original: CodeType) -> CodeType:
    """`compiled` with the functions of `original` that no text names as they are named."""
    owns = [constant for constant in compiled.co_consts if isinstance(constant, CodeType)]
    for function, name in _foreign(original):
        for own in owns:
            if own.co_name == function.co_name and _is_proven(own, function):
                compiled = _with_function(compiled, own, function, name)
                owns.remove(own)
                break
    return compiled


def order_free(code: CodeType, names: Sequence[str]) -> CodeType:
    """`code` with its free variables in this order, which the compiler gives to none."""
    if code.co_freevars == tuple(names) or sorted(code.co_freevars) != sorted(names):
        return code
    if not set(code.co_freevars).isdisjoint(code.co_varnames):
        return code
    raw = bytearray(code.co_code)
    for instruction in dis.get_instructions(code):
        if isinstance(instruction.argval, tuple) and not set(instruction.argval).isdisjoint(code.co_freevars):
            return code  # two slots in one argument
        if instruction.argval in code.co_freevars and _is_of_slot(instruction) and instruction.arg is not None:
            first = instruction.arg - code.co_freevars.index(instruction.argval)
            place = first + list(names).index(instruction.argval)
            if max(place, instruction.arg) >= _BYTE:
                return code
            raw[instruction.offset + 1] = place
    return code.replace(co_code=bytes(raw), co_freevars=tuple(names))


def _is_of_slot(instruction: dis.Instruction) -> bool:
    """Whether an instruction names a slot of the frame, not an attribute or a global."""
    return "DEREF" in instruction.opname or instruction.opname in ("LOAD_CLOSURE", "LOAD_FAST", "LOAD_FAST_BORROW")


def _foreign(code: CodeType) -> Iterator[Tuple[CodeType, Optional[str]]]:
    """The functions made in `code` whose qualified name is not that of a definition inside it; the name, if it is a constant."""
    names = _qualified_names(code)
    inside = getattr(code, "co_qualname", "") + ".<locals>."
    for function in code.co_consts:
        if not isinstance(function, CodeType) or not is_function(function):
            continue
        if hasattr(function, "co_qualname"):
            if function.co_qualname != inside + function.co_name:
                yield function, None
        elif id(function) in names and not names[id(function)].endswith(function.co_name):
            yield function, names[id(function)]


def _qualified_names(code: CodeType) -> Dict[int, str]:
    """Up to 3.10 the name is loaded behind the code object."""
    found: Dict[int, str] = {}
    before: object = None
    for instruction in dis.get_instructions(code):
        value = instruction.argval
        if instruction.opname == "LOAD_CONST" and isinstance(before, CodeType) and isinstance(value, str):
            found[id(before)] = value
        before = value if instruction.opname == "LOAD_CONST" else None
    return found


def _is_proven(own: CodeType, function: CodeType) -> bool:
    from depyf.proof import verify

    own = with_qualified_names(order_free(own, function.co_freevars), function)
    if hasattr(function, "co_qualname"):
        own = own.replace(co_qualname=function.co_qualname)
    return bool(verify(function, carry_functions(own, function)))


def _with_function(code: CodeType, own: CodeType, function: CodeType, name: Optional[str]) -> CodeType:
    raw = bytearray(code.co_code)
    instructions = list(dis.get_instructions(code))
    constants = list(code.co_consts)
    for index, instruction in enumerate(instructions):
        if instruction.opname == "LOAD_CONST" and instruction.argval is own:
            if own.co_freevars != function.co_freevars and not _order_closure(raw, instructions[:index], function):
                return code
            following = instructions[index + 1]
            if name is not None and following.opname == "LOAD_CONST":
                if len(constants) >= _BYTE or instructions[index + 1].offset != instruction.offset + 2:
                    return code
                raw[following.offset + 1] = len(constants)  # another function may have the same name in the text
                constants.append(name)
    constants = [function if constant is own else constant for constant in constants]
    return code.replace(co_code=bytes(raw), co_consts=tuple(constants))


def _order_closure(raw: bytearray, before: List[dis.Instruction], function: CodeType) -> bool:
    """Loads the cells of a closure, which the last instructions build, in the order in which `function` has them."""
    names = function.co_freevars
    loads = before[-len(names) - 1 : -1]
    slots = {load.argval: load.arg for load in loads if load.opname in _CLOSURES}
    if before[-1].opname != "BUILD_TUPLE" or set(slots) != set(names):
        return False
    for load, name in zip(loads, names):
        slot = slots[name]
        if slot is None or slot >= _BYTE:
            return False
        raw[load.offset + 1] = slot
    return True
