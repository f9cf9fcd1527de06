"""Unpackings: `a, b.c, *d[e] = value`. The items lie on the stack until each is stored; then the targets are one assignment.

Between two stores a target's own operands are evaluated. Where one of them is a choice or a comprehension, the unpacking waits in
`pending` for the blocks of that, its last item standing for it; whatever else comes between gives the items temporaries.
"""

from __future__ import annotations

import inspect
from typing import Dict

from depyf.bytecode.canonical import Instruction

from ..tree import Call, Expr, Name, Starred
from .lift import Lifter
from .needs import needs_names
from .values import Chained, Local, Marker, UnpackedItem, Unpacking, resolve

_ANY_ARGUMENTS = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
_AFTER_STARRED = frozenset(("CONST", "BUILD_TUPLE", "BUILD_MAP"))


def _is_starred_use(lifter: Lifter, following: Instruction) -> bool:
    """Whether the one unpacked item is used as `*Ts` is. Returned is the default of a type parameter, from a scope of
    its own; PyTorch's code returns the one item of a graph's result as well, which is that of a call."""
    if following.op == "RETURN":
        code = lifter.code
        plain = code.co_argcount == code.co_posonlyargcount and not code.co_flags & _ANY_ARGUMENTS
        return bool(code.co_flags & inspect.CO_NESTED) and plain and not isinstance(resolve(lifter.stack[-1]), Call)
    return following.op in _AFTER_STARRED


def lift_unpack(lifter: Lifter, instruction: Instruction) -> None:
    following = lifter.following()
    if instruction.arg == 1 and following is not None and _is_starred_use(lifter, following):
        # an annotation `*Ts`: the one item is used, where an assignment would store it
        operands = lifter.use([lifter.pop()])
        lifter.build(Starred(operands[0], instruction.offset), operands)
        return
    _unpack(lifter, instruction.arg, -1, instruction)


def lift_unpack_ex(lifter: Lifter, instruction: Instruction) -> None:
    before, after = instruction.arg
    _unpack(lifter, before + 1 + after, before, instruction)


def _unpack(lifter: Lifter, count: int, star: int, instruction: Instruction) -> None:
    value = lifter.stack.pop()
    if not isinstance(value, (Marker, Chained)):
        lifter.stack.append(value)
        value = lifter.pop()
        [value] = lifter.use([value])
    elif isinstance(value, Chained):
        lifter._drop_pending(value)
    start_unpacking(lifter, value, count, star, instruction.offset)


def start_unpacking(lifter: Lifter, value: Expr, count: int, star: int, offset: int) -> None:
    unpacking = Unpacking(value, count, star, offset)
    unpacking.before = list(lifter.pending)
    if not count:
        lifter.complete(unpacking)
        return
    lifter.stack.extend(UnpackedItem(unpacking, position) for position in range(count - 1, -1, -1))


# ---------------------------------------------------------------- items that are not stored


def settle(lifter: Lifter, item: UnpackedItem) -> Expr:
    """An unpacked item is used without being stored: its unpacking gets temporaries for what is still open."""
    unpacking = item.unpacking
    if _waits(lifter, unpacking):
        raise needs_names(item)
    names: Dict[int, str] = {}
    for position, target in enumerate(unpacking.targets):
        if target is None:
            names[position] = lifter.temporaries.new()
            unpacking.targets[position] = Name(names[position])
    later = [v for v in lifter.pending if all(v is not one for one in unpacking.before)]
    lifter.pending = [v for v in lifter.pending if all(v is not one for one in later)]
    lifter.complete(unpacking)
    lifter.pending = [*lifter.pending, *later]
    for index, value in enumerate(lifter.stack):
        if isinstance(value, UnpackedItem) and value.unpacking is unpacking:
            lifter.stack[index] = Local(names[value.position])
    return Local(names[item.position])


def end_block_with_open_unpackings(lifter: Lifter) -> None:
    """They wait for what the next blocks evaluate, or get temporaries if they have waited in vain before."""
    for value in [v for v in lifter.stack if v.__class__ is UnpackedItem]:
        assert isinstance(value, UnpackedItem)
        if not any(value is one for one in lifter.stack):
            continue  # settled with another
        if lifter.safe or value.unpacking.offset in lifter.named:
            settle(lifter, value)
        elif not _waits(lifter, value.unpacking):
            _let_wait(lifter, value)


def _waits(lifter: Lifter, unpacking: Unpacking) -> bool:
    return any(isinstance(v, UnpackedItem) and v.unpacking is unpacking for v in lifter.pending)


def _let_wait(lifter: Lifter, last: UnpackedItem) -> None:
    """The unpacking was evaluated before all that is pending and came later than it; its text will stand where the last item is stored."""
    before = {id(v) for v in last.unpacking.before}
    place = next((i for i, v in enumerate(lifter.pending) if id(v) not in before), len(lifter.pending))
    lifter.pending.insert(place, last)
