"""Mutations of what stands around the instructions: handlers' ranges, flags, parameters, cells, defaults.

The same rules as in tools.mutations: a change that nothing can observe is not offered. A handler that only tidies up before
it raises again counts as nothing, since a frame that is left has no locals to look at.
"""

from __future__ import annotations

import types
from typing import Any, Callable, Dict, Iterator, List, Tuple

from tools.assembler import CELL, VERSION, Assembly, Entry, Instruction
from tools.flow import STOPS, Flow
from tools.mutations import RAISING, Mutation, _set

VARARGS, VARKEYWORDS, GENERATOR, COROUTINE, ITERABLE_COROUTINE = 0x4, 0x8, 0x20, 0x80, 0x100

TIDYING = frozenset(
    ("SWAP", "COPY", "DUP_TOP", "ROT_TWO", "POP_TOP", "STORE_FAST", "DELETE_FAST", "LOAD_CONST", "LOAD_COMMON_CONSTANT", "POP_EXCEPT",
     "RERAISE", "PUSH_EXC_INFO", "NOP",
     "END_FINALLY", "STORE_FAST_STORE_FAST", "STORE_DEREF", "DELETE_DEREF", "STORE_FAST_LOAD_FAST")
)  # fmt: skip


def _only_tidies(flow: Flow, start: int) -> bool:
    """Whether a handler does nothing but put the frame in order and raise again."""
    index = start
    while index < len(flow.code):
        if flow.code[index].op == "RAISE_VARARGS" and flow.code[index].arg == 0:
            return True
        if flow.code[index].op not in TIDYING:
            return False
        if flow.code[index].op in ("RERAISE", "END_FINALLY"):
            return True
        index += 1
    return False


def _unchanged(assembly: Assembly) -> None:
    """For mutations that leave the instructions alone."""


def handlers(assembly: Assembly, flow: Flow) -> Iterator[Mutation]:
    """A range that no longer covers one instruction that may raise, or leads to another handler."""
    return _table(assembly, flow) if VERSION >= (3, 11) else _blocks(flow)


def _table(assembly: Assembly, flow: Flow) -> Iterator[Mutation]:
    for number, entry in enumerate(assembly.table):
        start, end = flow.position[id(entry.start)], flow.position.get(id(entry.end), len(flow.code))
        target = flow.position[id(entry.target)]
        if _only_tidies(flow, target):
            continue
        for place in range(start, end):
            if flow.code[place].op in RAISING and place in flow.reachable:
                yield Mutation("handler's range", place, f"{flow.code[place]} left out of entry {number}", _carve(number, place))
        for other, candidate in enumerate(assembly.table):
            there = flow.position[id(candidate.target)]
            alike = (candidate.depth, candidate.lasti) == (entry.depth, entry.lasti)
            if alike and there != target and not flow.same_from(target, there):
                if any(flow.code[place].op in RAISING and place in flow.reachable for place in range(start, end)):
                    yield Mutation("handler's range", start, f"entry {number} to the handler of {other}", _retarget(number, other))


def _carve(number: int, place: int) -> Callable[[Assembly], None]:
    def apply(it: Assembly) -> None:
        entry = it.table[number]
        following = it.instructions[place + 1] if place + 1 < len(it.instructions) else it.end
        before, after = entry._replace(end=it.instructions[place]), entry._replace(start=following)
        kept: List[Entry] = [part for part in (before, after) if part.start is not part.end]
        it.table[number : number + 1] = kept

    return apply


def _retarget(number: int, other: int) -> Callable[[Assembly], None]:
    def apply(it: Assembly) -> None:
        it.table[number] = it.table[number]._replace(target=it.table[other].target)

    return apply


def _blocks(flow: Flow) -> Iterator[Mutation]:
    """Before 3.11: SETUP_FINALLY moved behind the next statement, or sent to another handler."""
    setups = [place for place in sorted(flow.reachable) if flow.code[place].op == "SETUP_FINALLY"]
    for place in setups:
        if _only_tidies(flow, flow.position.get(id(flow.code[place].target), len(flow.code))):
            continue
        after = _statement_end(flow, place)
        if after is not None:
            yield Mutation("handler's range", place, f"SETUP_FINALLY {place} moved to {after}", _move(place, after))
        here = flow.position.get(id(flow.code[place].target), len(flow.code))
        for other in setups:
            there = flow.position.get(id(flow.code[other].target), len(flow.code))
            alike = flow.depth[place] == flow.depth[other] and there > place
            if there != here and alike and max(here, there) < len(flow.code) and not flow.same_from(here, there):
                yield Mutation("handler's range", place, f"SETUP_FINALLY {place} to the handler of {other}", _send(place, other))


def _statement_end(flow: Flow, place: int) -> Any:
    """The end of the first statement after a place, if it may raise and control cannot come or go inside it."""
    raises = False
    for index in range(place + 1, len(flow.code)):
        instruction = flow.code[index]
        if index > place + 1 and flow.depth.get(index) == flow.depth[place] and raises:
            return index
        if index in flow.targets or instruction.target is not None or instruction.op in STOPS or index not in flow.reachable:
            return None
        if instruction.op.startswith(("POP_", "END_", "BEGIN_")) and instruction.op != "POP_TOP":
            return None
        raises = raises or instruction.op in RAISING
    return None


def _move(place: int, after: int) -> Callable[[Assembly], None]:
    def apply(it: Assembly) -> None:
        setup = it.instructions[place]
        if place + 1 < len(it.instructions):
            it.relabel(setup, it.instructions[place + 1])
        it.instructions.insert(after, setup)
        del it.instructions[place]

    return apply


def _send(place: int, other: int) -> Callable[[Assembly], None]:
    def apply(it: Assembly) -> None:
        it.instructions[place].target = it.instructions[other].target

    return apply


def _replaced(kind: str, what: str, **fields: Any) -> Mutation:
    def pair(original: types.CodeType, mutant: types.CodeType) -> Tuple[Any, Any]:
        return original, mutant.replace(**fields)

    return Mutation(kind, 0, what, _unchanged, pair)


def flags(assembly: Assembly, flow: Flow) -> Iterator[Mutation]:
    """Another kind of function, or other parameters."""
    code = assembly.code
    kinds = code.co_flags & (GENERATOR | COROUTINE)
    if kinds == GENERATOR:
        yield _replaced("flag", "generator -> coroutine", co_flags=code.co_flags & ~GENERATOR | COROUTINE)
        yield _replaced("flag", "iterable coroutine or not", co_flags=code.co_flags ^ ITERABLE_COROUTINE)
    elif kinds == COROUTINE:
        yield _replaced("flag", "coroutine -> generator", co_flags=code.co_flags & ~COROUTINE | GENERATOR)
    positional, keyword = code.co_argcount, code.co_kwonlyargcount
    if code.co_flags & VARARGS:
        yield _replaced("flag", "*args as a plain parameter", co_flags=code.co_flags & ~VARARGS)
    elif positional + keyword < code.co_nlocals and not code.co_flags & VARKEYWORDS and "." not in code.co_varnames[0]:
        yield _replaced("flag", "a local becomes *args", co_flags=code.co_flags | VARARGS)
    if code.co_flags & VARKEYWORDS:
        yield _replaced("flag", "**kwargs as a local", co_flags=code.co_flags & ~VARKEYWORDS)
    if positional > code.co_posonlyargcount:
        yield _replaced("flag", "one more positional-only", co_posonlyargcount=code.co_posonlyargcount + 1)
    if keyword and not code.co_flags & VARARGS:
        fields = {"co_argcount": positional + 1, "co_kwonlyargcount": keyword - 1}
        yield _replaced("flag", "a keyword-only parameter as positional", **fields)
    if positional - code.co_posonlyargcount >= 2:
        names = list(code.co_varnames)
        names[positional - 1], names[positional - 2] = names[positional - 2], names[positional - 1]
        yield _replaced("flag", "two parameters' names exchanged", co_varnames=tuple(names))


def cells(assembly: Assembly, flow: Flow) -> Iterator[Mutation]:
    """Another cell or free variable in the place of one, or their order."""
    known = list(assembly.cellvars) + list(assembly.freevars)
    for place in sorted(flow.reachable):
        instruction: Instruction = flow.code[place]
        takes_cell = instruction.op in CELL or (
            VERSION >= (3, 13) and instruction.op.startswith("LOAD_FAST") and set(instruction.slots) <= set(known)
        )
        if not takes_cell or instruction.op == "MAKE_CELL" or len(instruction.slots) != 1:
            continue
        name = instruction.slots[0]
        if name not in known or len(known) < 2:
            continue
        other = known[(known.index(name) + 1) % len(known)]
        if other in assembly.cellvars and other in assembly.freevars:
            continue
        yield Mutation("cell", place, f"{instruction.op} {name} -> {other}", _set(place, slots=(other,)))
    free = list(assembly.freevars)
    if len(free) > 1:
        yield _replaced("cell", "free variables in another order", co_freevars=tuple(free[1:] + free[:1]))


def defaults(assembly: Assembly, flow: Flow) -> Iterator[Mutation]:
    """Functions of one code with other defaults."""
    code = assembly.code
    positional, keyword = code.co_argcount, code.co_kwonlyargcount
    names = code.co_varnames

    def pair(mine: Dict[str, Any], theirs: Dict[str, Any]) -> Callable[[types.CodeType, types.CodeType], Tuple[Any, Any]]:
        def functions(original: types.CodeType, mutant: types.CodeType) -> Tuple[Any, Any]:
            return _function(original, mine), _function(original, theirs)

        return functions

    if positional:
        base = {"__defaults__": (1,)}
        yield Mutation("default", 0, "1 -> True", _unchanged, pair(base, {"__defaults__": (True,)}))
        yield Mutation("default", 0, "none", _unchanged, pair(base, {"__defaults__": None}))
    if positional > 1:
        base = {"__defaults__": (1, 2)}
        yield Mutation("default", 0, "exchanged", _unchanged, pair(base, {"__defaults__": (2, 1)}))
        yield Mutation("default", 0, "one less", _unchanged, pair(base, {"__defaults__": (2,)}))
    if keyword:
        name = names[positional]
        base_kw = {"__kwdefaults__": {name: None}}
        yield Mutation("default", 0, "keyword default", _unchanged, pair(base_kw, {"__kwdefaults__": {name: 0}}))
        yield Mutation("default", 0, "no keyword default", _unchanged, pair(base_kw, {"__kwdefaults__": None}))


def _function(code: types.CodeType, fields: Dict[str, Any]) -> types.FunctionType:
    closure = tuple(types.CellType(None) for _ in code.co_freevars)
    function = types.FunctionType(code, {}, None, None, closure or None)
    for name, value in fields.items():
        setattr(function, name, value)
    return function


KINDS: Dict[str, Callable[[Assembly, Flow], Iterator[Mutation]]] = {
    "handler's range": handlers,
    "flag": flags,
    "cell": cells,
    "default": defaults,
}
