"""The kinds of mutation: each finds the places of a code object where it applies, and makes one change there.

A mutation that would change nothing that can be observed is not offered: code that is never reached, a local that is
never read again, an operand with itself, a jump to where it went anyway. What is offered although it is equivalent must be
explained in tests/proof/equivalent_mutants.txt.
"""

from __future__ import annotations

import dis
import types
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Set, Tuple

from tools.assembler import VERSION, Assembly, Instruction
from tools.flow import Flow

Change = Callable[[Assembly], None]


class Mutation(NamedTuple):
    """One possible change: its kind, the instruction it is at (an index), what it does in words, and the change itself.

    `apply` edits the assembly; `pair` makes the two objects to compare out of the original code and the edited one.
    """

    kind: str
    place: int
    what: str
    apply: Change
    pair: Callable[[types.CodeType, types.CodeType], Tuple[Any, Any]] = lambda original, mutant: (original, mutant)


def _names(*names: str) -> Set[str]:
    return {name for name in names if name in dis.opmap}


# opcodes that take and give the same slots, so that one can stand for the other
FAMILIES: List[Set[str]] = [
    _names("UNARY_NEGATIVE", "UNARY_INVERT", "UNARY_NOT" if VERSION < (3, 13) else "UNARY_NEGATIVE"),
    _names("POP_JUMP_IF_TRUE", "POP_JUMP_IF_FALSE"),
    _names("POP_JUMP_FORWARD_IF_TRUE", "POP_JUMP_FORWARD_IF_FALSE"),
    _names("POP_JUMP_IF_NONE", "POP_JUMP_IF_NOT_NONE"),
    _names("POP_JUMP_FORWARD_IF_NONE", "POP_JUMP_FORWARD_IF_NOT_NONE"),
    _names("JUMP_IF_TRUE_OR_POP", "JUMP_IF_FALSE_OR_POP"),
    _names("BUILD_LIST", "BUILD_SET", "BUILD_TUPLE", "BUILD_STRING"),
    _names("BINARY_ADD", "BINARY_SUBTRACT", "BINARY_MULTIPLY", "BINARY_MODULO", "BINARY_AND", "INPLACE_ADD"),
    _names("BINARY_SUBSCR", "BINARY_TRUE_DIVIDE", "BINARY_OR", "INPLACE_OR"),
    _names("STORE_NAME", "STORE_GLOBAL"),
    _names("DELETE_NAME", "DELETE_GLOBAL"),
    _names("GET_ITER", "GET_AITER", "LIST_TO_TUPLE"),
    _names("MATCH_SEQUENCE", "MATCH_MAPPING"),
]
# opcodes that take one slot and give one, with an effect: without it another value goes on
DROPPED = _names("UNARY_NEGATIVE", "UNARY_INVERT", "UNARY_POSITIVE", "FORMAT_SIMPLE", "LIST_TO_TUPLE", "GET_AWAITABLE")
# opcodes whose two operands can be exchanged
ORDERED = _names("BINARY_OP", "BINARY_SUBSCR", "COMPARE_OP", "CONTAINS_OP", "STORE_ATTR", "DELETE_SUBSCR", "MAP_ADD") | {
    name for name in dis.opmap if name.startswith(("BINARY_", "INPLACE_")) and name not in ("BINARY_SLICE",)
}
NAMED = _names("LOAD_NAME", "STORE_NAME", "DELETE_NAME", "LOAD_GLOBAL", "STORE_GLOBAL", "DELETE_GLOBAL", "LOAD_ATTR",
               "STORE_ATTR", "DELETE_ATTR", "LOAD_METHOD", "IMPORT_NAME", "IMPORT_FROM", "LOAD_SUPER_ATTR")  # fmt: skip
# shift of the name's index inside the argument: its low bits are flags
NAME_SHIFT: Dict[str, int] = {}
if VERSION >= (3, 11):
    NAME_SHIFT["LOAD_GLOBAL"] = 1
if VERSION >= (3, 12):
    NAME_SHIFT.update(LOAD_ATTR=1, LOAD_SUPER_ATTR=2)
if VERSION >= (3, 15):
    NAME_SHIFT["IMPORT_NAME"] = 2
COMPARE_SHIFT = 0 if VERSION < (3, 12) else 4 if VERSION == (3, 12) else 5
SIMPLE_LOADS = _names("LOAD_FAST", "LOAD_CONST", "LOAD_DEREF", "LOAD_FAST_BORROW", "LOAD_SMALL_INT")
# what may raise, so that the handler in force there matters
RAISING = NAMED | ORDERED | _names(
    "CALL", "CALL_KW", "CALL_FUNCTION", "CALL_FUNCTION_KW", "CALL_METHOD", "CALL_FUNCTION_EX", "GET_ITER", "FOR_ITER"
) - {"STORE_NAME", "MAP_ADD"}  # fmt: skip


def _swap() -> Instruction:
    return Instruction("SWAP", 2) if "SWAP" in dis.opmap else Instruction("ROT_TWO")


def _set(place: int, **fields: Any) -> Change:
    def apply(assembly: Assembly) -> None:
        for name, value in fields.items():
            setattr(assembly.instructions[place], name, value)

    return apply


def other_constant(value: Any) -> Any:
    """A constant of the same kind that is not the same, or one that only looks the same."""
    if value is True or value is False:
        return int(value)
    if value is None:
        return False
    if isinstance(value, int):
        return value + 1
    if isinstance(value, float):
        return -value if value == 0 else value + 1.5
    if isinstance(value, complex):
        return value + 1
    if isinstance(value, str):
        return value + "x"
    if isinstance(value, bytes):
        return value + b"x"
    if isinstance(value, tuple):
        return (*value[:-1], other_constant(value[-1])) if value else (None,)
    if isinstance(value, frozenset):
        return value | {"another"}
    if isinstance(value, types.CodeType):
        return value.replace(co_consts=tuple(map(_other_plain, value.co_consts)), co_name=value.co_name)
    return None


def _other_plain(value: Any) -> Any:
    return value if isinstance(value, types.CodeType) or value is None else other_constant(value)


def _constants(assembly: Assembly, flow: Flow) -> Iterator[Mutation]:
    for place in sorted(flow.reachable):
        instruction = flow.code[place]
        returned = instruction.op == "RETURN_CONST"
        if returned or (instruction.op == "LOAD_CONST" and not _discarded(flow, place)):
            value = assembly.constants[instruction.arg]
            if isinstance(value, types.CodeType):
                continue

            def apply(it: Assembly, place: int = place, value: Any = value) -> None:
                it.constants.append(other_constant(value))
                it.instructions[place].arg = len(it.constants) - 1

            yield Mutation("constant", place, f"{value!r:.40} -> {other_constant(value)!r:.40}", apply)
        elif instruction.op == "LOAD_COMMON_CONSTANT" and VERSION >= (3, 15) and not _discarded(flow, place):
            other = instruction.arg ^ 1
            yield Mutation("constant", place, f"common constant {instruction.arg} -> {other}", _set(place, arg=other))
        elif instruction.op == "LOAD_SMALL_INT" and not _discarded(flow, place):
            other = instruction.arg + (1 if instruction.arg < 255 else -1)
            yield Mutation("constant", place, f"{instruction.arg} -> {other}", _set(place, arg=other))


def _discarded(flow: Flow, place: int) -> bool:
    """Whether the value that is pushed here is popped at once, or stored where nobody reads it."""
    following = flow.destination(place + 1)
    if following >= len(flow.code):
        return True
    after = flow.code[following]
    if after.op in ("POP_TOP", "SEND", "GEN_START"):
        return True
    return after.op == "STORE_FAST" and after.slots[0] not in flow.live_after.get(following, ())


def _instructions(assembly: Assembly, flow: Flow) -> Iterator[Mutation]:
    for place in sorted(flow.reachable):
        instruction = flow.code[place]
        op = instruction.op
        for family in FAMILIES:
            if op in family and not (op.startswith("BUILD") and instruction.arg == 0):
                for other in sorted(family - {op}):
                    yield Mutation("instruction", place, f"{op} -> {other}", _set(place, op=other))
        if op in DROPPED:
            yield Mutation("instruction", place, f"{op} dropped", _set(place, op="NOP", arg=0))
        if op == "STORE_FAST" and instruction.slots[0] in flow.live_after.get(place, ()):
            yield Mutation("instruction", place, f"{instruction} dropped", _set(place, op="POP_TOP", arg=0, slots=()))
        if op == "DELETE_FAST" and instruction.slots[0] in flow.live_after.get(place, ()):
            yield Mutation("instruction", place, f"{instruction} dropped", _set(place, op="NOP", arg=0, slots=()))


def _arguments(assembly: Assembly, flow: Flow) -> Iterator[Mutation]:
    alike = _alike(assembly, flow)
    for place in sorted(flow.reachable):
        instruction = flow.code[place]
        op, arg = instruction.op, instruction.arg
        if op in NAMED and len(assembly.names) > 1:
            shift = NAME_SHIFT.get(op, 0)
            other = ((arg >> shift) + 1) % len(assembly.names)
            what = f"{op} {assembly.names[arg >> shift]} -> {assembly.names[other]}"
            yield Mutation("argument", place, what, _set(place, arg=other << shift | arg & (1 << shift) - 1))
        elif op == "COMPARE_OP" and arg >> COMPARE_SHIFT < 6:
            other = ((arg >> COMPARE_SHIFT) + 1) % 6 << COMPARE_SHIFT | arg & (1 << COMPARE_SHIFT) - 1
            yield Mutation("argument", place, f"COMPARE_OP {arg} -> {other}", _set(place, arg=other))
        elif op in ("IS_OP", "CONTAINS_OP"):
            yield Mutation("argument", place, f"{op} inverted", _set(place, arg=arg ^ 1))
        elif op == "BINARY_OP" and arg < 26:
            other = (arg + 1) % 13 + (0 if arg < 13 else 13)
            yield Mutation("argument", place, f"BINARY_OP {arg} -> {other}", _set(place, arg=other))
            yield Mutation("argument", place, f"BINARY_OP {arg} in place or not", _set(place, arg=(arg + 13) % 26))
        elif op in ("LOAD_FAST", "LOAD_FAST_BORROW", "STORE_FAST") and instruction.slots[0] in assembly.varnames:
            yield from _other_local(assembly, flow, alike, place)
        elif op in ("FORMAT_VALUE", "CONVERT_VALUE"):
            conversion = (arg & 3) % 3 + 1
            yield Mutation("argument", place, f"{op} {arg}", _set(place, arg=arg & ~3 | conversion))


def _other_local(assembly: Assembly, flow: Flow, alike: Dict[str, Set[str]], place: int) -> Iterator[Mutation]:
    instruction = flow.code[place]
    name = instruction.slots[0]
    others = [other for other in assembly.varnames if other != name and not alike[name] & alike[other]]
    if not others or name not in alike:
        return
    other = others[place % len(others)]
    if instruction.op == "STORE_FAST":
        live = flow.live_after.get(place, frozenset())
        if name not in live and other not in live:
            return
    elif _discarded(flow, place):
        return
    yield Mutation("argument", place, f"{instruction.op} {name} -> {other}", _set(place, slots=(other,)))


def _alike(assembly: Assembly, flow: Flow) -> Dict[str, Set[str]]:
    """For each local the sources it may have been copied from; two that share one may hold the same object."""
    sources: Dict[str, Set[str]] = {name: {name} for name in assembly.varnames}
    for index, instruction in enumerate(flow.code):
        for name in instruction.slots if instruction.op.startswith("STORE_FAST") else ():
            before = flow.code[index - 1] if index else instruction
            if before.op in ("LOAD_CONST", "LOAD_SMALL_INT"):
                sources.setdefault(name, set()).add(f"constant {before.op} {before.arg}")
            elif before.op.startswith(("LOAD_FAST", "STORE_FAST")):
                sources.setdefault(name, set()).update(before.slots)
            sources.setdefault(name, set()).update(instruction.slots)
    changed = True
    while changed:  # copies of copies
        changed = False
        for name, known in sources.items():
            more = set().union(*(sources.get(source, set()) for source in known)) | known
            if more != known:
                sources[name] = more
                changed = True
    return sources


def _jumps(assembly: Assembly, flow: Flow) -> Iterator[Mutation]:
    targets = sorted(flow.targets)
    for place in sorted(flow.reachable):
        instruction = flow.code[place]
        if instruction.target is None or instruction.op in ("SEND", "END_ASYNC_FOR", "FOR_ITER", "CALL_FINALLY"):
            continue
        if instruction.op.startswith("SETUP_"):
            continue
        here = flow.position.get(id(instruction.target), len(flow.code))
        after = flow.destination(place + 1)
        if here not in flow.successors(place) or flow.never_taken(place):
            continue
        for other in targets:
            alike = flow.depth[other] == flow.depth.get(here) and flow.destination(other) != flow.destination(here)
            forward = (other > place) == (here > place)
            if alike and forward and not flow.same_from(here, other):
                if flow.destination(here) == after:  # it made no difference before; it does now
                    continue

                def apply(it: Assembly, place: int = place, other: int = other) -> None:
                    it.instructions[place].target = it.instructions[other]

                yield Mutation("jump target", place, f"{instruction.op} {here} -> {other}", apply)


def _operands(assembly: Assembly, flow: Flow) -> Iterator[Mutation]:
    for place in sorted(flow.reachable):
        instruction = flow.code[place]
        if instruction.op not in ORDERED or place == 0 or place in flow.targets:
            continue
        if instruction.op == "COMPARE_OP" and VERSION == (3, 8) and instruction.arg in (8, 9):
            continue  # `is` does not care
        before, earlier = flow.code[place - 1], flow.code[place - 2] if place > 1 else None
        if len(before.slots) == 2 and before.slots[0] == before.slots[1]:
            continue
        if earlier is not None and before.op in SIMPLE_LOADS and (before.op, before.arg, before.slots) == (
            earlier.op, earlier.arg, earlier.slots):  # fmt: skip
            continue

        def apply(it: Assembly, place: int = place) -> None:
            it.insert(place, [_swap()])

        yield Mutation("operands' order", place, f"exchanged before {instruction.op}", apply)


KINDS: Dict[str, Callable[[Assembly, Flow], Iterator[Mutation]]] = {
    "instruction": _instructions,
    "constant": _constants,
    "argument": _arguments,
    "jump target": _jumps,
    "operands' order": _operands,
}
