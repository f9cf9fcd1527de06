"""Disassemble a code object of the running CPython to an editable list of raw instructions, and assemble it back.

It shares nothing with depyf.bytecode, so that it can catch its bugs: jump targets and exception-table entries refer to
instruction objects, locals and cells to names; extended arguments and inline caches are made afresh. Line numbers are dropped.
"""

from __future__ import annotations

import argparse
import dis
import opcode
import sys
import types
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

VERSION = sys.version_info[:2]
UNIT = 2  # bytes of an instruction, a cache entry or an extended argument
# what a jump's argument counts: bytes up to 3.9, units after
STEP = 1 if VERSION < (3, 10) else 2

EXTENDED_ARG = dis.opmap["EXTENDED_ARG"]
_CACHES: Dict[str, int] = {}
_entries: Any = getattr(opcode, "_inline_cache_entries", None)
if VERSION >= (3, 13):
    _CACHES = dict(_entries)
elif _entries is not None:
    _CACHES = {dis.opname[number]: count for number, count in enumerate(_entries) if count}

_PSEUDO = 256  # opcodes from here on exist only inside the compiler
RELATIVE = frozenset(dis.opname[op] for op in dis.hasjrel if op < _PSEUDO)
ABSOLUTE = frozenset(dis.opname[op] for op in dis.hasjabs if op < _PSEUDO)
JUMPS = RELATIVE | ABSOLUTE
LOCAL = frozenset(
    ("LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_FAST_AND_CLEAR", "LOAD_FAST_BORROW", "STORE_FAST", "DELETE_FAST")
)
PAIRS: Dict[str, Tuple[str, str]] = {
    "LOAD_FAST_LOAD_FAST": ("LOAD_FAST", "LOAD_FAST"),
    "LOAD_FAST_BORROW_LOAD_FAST_BORROW": ("LOAD_FAST_BORROW", "LOAD_FAST_BORROW"),
    "STORE_FAST_STORE_FAST": ("STORE_FAST", "STORE_FAST"),
    "STORE_FAST_LOAD_FAST": ("STORE_FAST", "LOAD_FAST"),
}
CELL = frozenset(
    ("LOAD_DEREF", "STORE_DEREF", "DELETE_DEREF", "LOAD_CLOSURE", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF", "MAKE_CELL")
)


class AssemblyError(ValueError):
    """The edited instructions cannot be written down in this version's bytecode."""


class Instruction:
    """One raw instruction; compared by identity, since others refer to it as a jump target."""

    __slots__ = ("op", "arg", "slots", "target", "offset")

    def __init__(
        self,
        op: str,
        arg: int = 0,
        slots: Tuple[str, ...] = (),
        target: Optional[Instruction] = None,
        offset: int = -1,
    ) -> None:
        self.op = op
        self.arg = arg
        self.slots = slots  # names of locals or cells, for the instructions that take one or two
        self.target = target
        self.offset = offset

    def __repr__(self) -> str:
        shown = ", ".join(self.slots) or ("" if self.target is None else f"to {self.target.offset}") or str(self.arg)
        return f"{self.offset}: {self.op} {shown}"


class Entry(NamedTuple):
    """One entry of the exception table: instructions from `start` up to, not including, `end` go to `target`."""

    start: Instruction
    end: Instruction
    target: Instruction
    depth: int
    lasti: bool


class Assembly:
    """An editable code object. `end` stands for the place after the last instruction."""

    def __init__(self, code: types.CodeType) -> None:
        self.code = code
        self.varnames = list(code.co_varnames)
        self.cellvars = list(code.co_cellvars)
        self.freevars = list(code.co_freevars)
        self.constants: List[Any] = list(code.co_consts)
        self.names = list(code.co_names)
        self.flags = code.co_flags
        self.instructions: List[Instruction] = []
        self.table: List[Entry] = []
        self.end = Instruction("END", offset=len(code.co_code))

    def insert(self, index: int, new: Sequence[Instruction], take_labels: bool = False) -> None:
        """Put instructions before the one at `index`; with `take_labels`, what jumped to that one comes to the first new one."""
        old = self.instructions[index] if index < len(self.instructions) else self.end
        self.instructions[index:index] = new
        if take_labels and new:
            self.relabel(old, new[0])

    def relabel(self, old: Instruction, new: Instruction) -> None:
        """Everything that referred to `old` refers to `new`."""
        for instruction in self.instructions:
            if instruction.target is old:
                instruction.target = new
        for index, entry in enumerate(self.table):
            ends = {name: new for name in ("start", "end", "target") if getattr(entry, name) is old}
            if ends:
                self.table[index] = entry._replace(**ends)

    def assemble(self) -> types.CodeType:
        """The code object; a minimal line table, everything else as it stands in this object."""
        return _assemble(self)


def _local_names(it: Any) -> List[str]:
    """Index -> name for LOAD_FAST and its kin."""
    if VERSION < (3, 11):
        return list(it.varnames)
    return list(it.varnames) + [name for name in it.cellvars if name not in it.varnames] + _free_names(it)


def _cell_names(it: Any) -> List[str]:
    """Index -> name for LOAD_DEREF and its kin."""
    return list(it.cellvars) + _free_names(it) if VERSION < (3, 11) else _local_names(it)


def _free_names(it: Any) -> List[str]:
    """A free variable may have the name of a cell (`__class__` in a class body) or, where a comprehension is inlined, of a
    local: two slots, so two labels."""
    return [name + " (free)" if name in it.cellvars or name in it.varnames else name for name in it.freevars]


def _backward(op: str) -> bool:
    return "BACKWARD" in op or (op == "END_ASYNC_FOR" and VERSION >= (3, 14))


def _raw(code: types.CodeType) -> Iterator[Tuple[int, int, str, int]]:
    """(offset of the first extended argument, offset after the caches, name, argument)."""
    data = code.co_code
    index = start = argument = 0
    while index < len(data):
        op, low = data[index], data[index + 1]
        index += UNIT
        argument = argument << 8 | low
        if op == EXTENDED_ARG:
            continue
        name = dis.opname[op]
        index += UNIT * _CACHES.get(name, 0)
        yield start, index, name, argument
        start, argument = index, 0


def _destination(op: str, argument: int, after: int) -> int:
    if op in ABSOLUTE:
        return argument * STEP
    return after - argument * STEP if _backward(op) else after + argument * STEP


def _slots_of(op: str, argument: int, local_names: List[str], cell_names: List[str]) -> Tuple[str, ...]:
    if op in LOCAL:
        return (local_names[argument],)
    if op in CELL:
        return (cell_names[argument],)
    if op in PAIRS:
        return (local_names[argument >> 4], local_names[argument & 15])
    return ()


def disassemble(code: types.CodeType) -> Assembly:
    """The editable form of a code object of the running version."""
    assembly = Assembly(code)
    local_names, cell_names = _local_names(assembly), _cell_names(assembly)
    at: Dict[int, Instruction] = {len(code.co_code): assembly.end}
    destinations: List[Tuple[Instruction, int]] = []
    for start, after, op, argument in _raw(code):
        instruction = Instruction(op, argument, _slots_of(op, argument, local_names, cell_names), None, start)
        at[start] = instruction
        assembly.instructions.append(instruction)
        if op in JUMPS:
            destinations.append((instruction, _destination(op, argument, after)))
    for instruction, destination in destinations:
        if destination not in at:
            raise AssemblyError(f"{code.co_name}: {instruction} goes to {destination}, where no instruction begins")
        instruction.target = at[destination]
    if VERSION >= (3, 11):
        for begin, stop, handler, depth, lasti in _decode_table(code.co_exceptiontable):  # type: ignore[attr-defined]
            assembly.table.append(Entry(at[begin], at[stop], at[handler], depth, lasti))
    return assembly


def _decode_table(table: bytes) -> Iterator[Tuple[int, int, int, int, bool]]:
    """(start, end, target, depth, lasti), in bytes."""
    data = iter(table)

    def number() -> int:
        byte = next(data)
        value = byte & 63
        while byte & 64:
            byte = next(data)
            value = value << 6 | byte & 63
        return value

    while True:
        try:
            start = number() * UNIT
        except StopIteration:
            return
        length, target, both = number() * UNIT, number() * UNIT, number()
        yield start, start + length, target, both >> 1, bool(both & 1)


def _encode_number(value: int, first: bool) -> bytes:
    parts = [value & 63]
    value >>= 6
    while value:
        parts.append(value & 63 | 64)
        value >>= 6
    parts.reverse()
    if first:
        parts[0] |= 128
    return bytes(parts)


def _encode_table(entries: Sequence[Entry], offsets: Dict[int, int]) -> bytes:
    result = bytearray()
    for entry in sorted(entries, key=lambda entry: offsets[id(entry.start)]):
        start, end = offsets[id(entry.start)], offsets[id(entry.end)]
        if end <= start:
            continue
        result += _encode_number(start // UNIT, True)
        result += _encode_number((end - start) // UNIT, False)
        result += _encode_number(offsets[id(entry.target)] // UNIT, False)
        result += _encode_number(entry.depth << 1 | entry.lasti, False)
    return bytes(result)


def _units(argument: int) -> int:
    return 1 if argument < 1 << 8 else 2 if argument < 1 << 16 else 3 if argument < 1 << 24 else 4


def _directed(instruction: Instruction, here: int, there: int) -> str:
    """The name of the jump for its direction, where the version has one name for each."""
    op = instruction.op
    if op not in RELATIVE or _backward(op) == (there < here):
        return op
    for forward, backward in (("POP_JUMP_FORWARD", "POP_JUMP_BACKWARD"), ("JUMP_FORWARD", "JUMP_BACKWARD")):
        other = op.replace(forward, backward) if forward in op else op.replace(backward, forward)
        if other != op and other in RELATIVE:
            return other
    raise AssemblyError(f"{op} cannot go from {here} to {there}")


def _argument(instruction: Instruction, op: str, offsets: Dict[int, int], after: int, index: Dict[str, Dict[str, int]]) -> int:
    if instruction.target is not None:
        there = offsets[id(instruction.target)]
        if op in ABSOLUTE:
            return there // STEP
        return abs(there - after) // STEP
    if op in LOCAL:
        return index["local"][instruction.slots[0]]
    if op in CELL:
        return index["cell"][instruction.slots[0]]
    if op in PAIRS:
        return index["local"][instruction.slots[0]] << 4 | index["local"][instruction.slots[1]]
    return instruction.arg


def _split_pairs(assembly: Assembly, local: Dict[str, int]) -> None:
    """A pair's slots must be among the first sixteen; where an edit moved them beyond, write two instructions."""
    for position in range(len(assembly.instructions) - 1, -1, -1):
        instruction = assembly.instructions[position]
        if instruction.op in PAIRS and any(local[name] > 15 for name in instruction.slots):
            first, second = PAIRS[instruction.op]
            assembly.instructions.insert(position + 1, Instruction(second, slots=instruction.slots[1:]))
            instruction.op, instruction.slots = first, instruction.slots[:1]


def _assemble(assembly: Assembly) -> types.CodeType:
    index = {
        "local": {name: number for number, name in enumerate(_local_names(assembly))},
        "cell": {name: number for number, name in enumerate(_cell_names(assembly))},
    }
    _split_pairs(assembly, index["local"])
    sizes = [1] * len(assembly.instructions)
    while True:  # sizes only grow, so it ends
        offsets: Dict[int, int] = {}
        here = 0
        for instruction, size in zip(assembly.instructions, sizes):
            offsets[id(instruction)] = here
            here += UNIT * (size + _CACHES.get(instruction.op, 0))
        offsets[id(assembly.end)] = here
        grew = False
        written: List[Tuple[str, int]] = []
        for position, instruction in enumerate(assembly.instructions):
            start = offsets[id(instruction)]
            op = instruction.op
            if instruction.target is not None:
                if id(instruction.target) not in offsets:
                    raise AssemblyError(f"{instruction} goes to an instruction that is not there")
                op = _directed(instruction, start, offsets[id(instruction.target)])
            after = start + UNIT * (sizes[position] + _CACHES.get(op, 0))
            argument = _argument(instruction, op, offsets, after, index)
            if _units(argument) > sizes[position]:
                sizes[position] = _units(argument)
                grew = True
            written.append((op, argument))
        if not grew:
            return _finish(assembly, written, sizes, offsets)


def _minimal_lines(length: int) -> bytes:
    """A line table that covers the code and says nothing: an empty one breaks the printing of tracebacks."""
    if VERSION < (3, 10):
        return b""
    if VERSION == (3, 10):  # pairs of a length in bytes and a step in lines
        return b"\xfe\x00" * (length // 254) + (bytes((length % 254, 0)) if length % 254 else b"")
    full, rest = divmod(length // UNIT, 8)  # entries without location (kind 15), each for up to eight units
    return b"\xff" * full + (bytes((0x80 | 15 << 3 | rest - 1,)) if rest else b"")


def _finish(
    assembly: Assembly, written: List[Tuple[str, int]], sizes: List[int], offsets: Dict[int, int]
) -> types.CodeType:
    data = bytearray()
    for (op, argument), size in zip(written, sizes):
        for shift in range(8 * (size - 1), 0, -8):
            data += bytes((EXTENDED_ARG, argument >> shift & 255))
        data += bytes((dis.opmap[op], argument & 255))
        data += bytes(UNIT * _CACHES.get(op, 0))
    fields: Dict[str, Any] = {
        "co_code": bytes(data),
        "co_varnames": tuple(assembly.varnames),
        "co_nlocals": len(assembly.varnames),
        "co_cellvars": tuple(assembly.cellvars),
        "co_freevars": tuple(assembly.freevars),
        "co_consts": tuple(assembly.constants),
        "co_names": tuple(assembly.names),
        "co_flags": assembly.flags,
    }
    fields["co_lnotab" if VERSION < (3, 10) else "co_linetable"] = _minimal_lines(len(data))
    if VERSION >= (3, 11):
        fields["co_exceptiontable"] = _encode_table(assembly.table, offsets)
    return assembly.code.replace(**fields)


def same(first: types.CodeType, second: types.CodeType) -> bool:
    """Whether two code objects hold the same instructions, tables and names (not nested ones)."""

    def written(code: types.CodeType) -> Tuple[Any, ...]:
        it = disassemble(code)
        number = {id(instruction): position for position, instruction in enumerate(it.instructions + [it.end])}
        listed = [(i.op, 0 if i.target else i.arg, i.slots, i.target and number[id(i.target)]) for i in it.instructions]
        table = [(number[id(e.start)], number[id(e.end)], number[id(e.target)], e.depth, e.lasti) for e in it.table]
        return listed, table, it.varnames, it.cellvars, it.freevars, it.names, it.flags

    return written(first) == written(second)


def main(arguments: Optional[List[str]] = None) -> int:
    """Round trip over a sample of the standard library, or one module's listing."""
    from tools.sources import choose, compile_source, nested, stdlib_files

    it = argparse.ArgumentParser(prog="assembler", description=__doc__)
    it.add_argument("--sample", type=int, default=50, help="how many modules of the standard library to round-trip")
    it.add_argument("--seed", type=int, default=0)
    options = it.parse_args(arguments)
    done = identical = 0
    for source in choose(stdlib_files("all"), options.sample, options.seed):
        module = compile_source(source)
        for code in [module] + [item.code for item in nested(module)] if module else ():
            back = disassemble(code).assemble()
            if not same(code, back):
                print(f"{source.name}:{code.co_name} came back different")
                return 1
            done += 1
            identical += back.co_code == code.co_code
    print(f"{'.'.join(map(str, VERSION))}: {done:,} code objects came back the same, {identical:,} of them to the byte")
    return 0


if __name__ == "__main__":
    sys.exit(main())
