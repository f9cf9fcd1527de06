"""Raw decoding: co_code to instructions with whole arguments, resolved jumps, lines; no meaning yet.

Extended arguments are joined and inline caches skipped. Instructions are parallel lists, because a code object has
thousands of them and most become one canonical instruction each; code units are numbers in arrays, since they are looked at
once or twice and as objects would take most of the memory. Assumes only the tables of `opcodes`.
"""

from __future__ import annotations

from array import array
from functools import lru_cache
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple

from depyf.bytecode.lines import unit_lines
from depyf.bytecode.opcodes import VERSIONS, Version, caches, numbers
from depyf.errors import DecompilationError

FORWARD, BACKWARD, ABSOLUTE = 1, 2, 3

_RELATIVE = (
    "JUMP_FORWARD FOR_ITER SEND SETUP_FINALLY SETUP_WITH SETUP_ASYNC_WITH CALL_FINALLY "
    "POP_JUMP_FORWARD_IF_TRUE POP_JUMP_FORWARD_IF_FALSE POP_JUMP_FORWARD_IF_NONE POP_JUMP_FORWARD_IF_NOT_NONE"
).split()
_BACKWARD = (
    "JUMP_BACKWARD JUMP_BACKWARD_NO_INTERRUPT "
    "POP_JUMP_BACKWARD_IF_TRUE POP_JUMP_BACKWARD_IF_FALSE POP_JUMP_BACKWARD_IF_NONE POP_JUMP_BACKWARD_IF_NOT_NONE"
).split()
_ABSOLUTE = ("JUMP_ABSOLUTE", "JUMP_IF_NOT_EXC_MATCH")
# absolute up to 3.10, relative from 3.11 or 3.12 on
_CONDITIONAL = (
    "POP_JUMP_IF_TRUE POP_JUMP_IF_FALSE POP_JUMP_IF_NONE POP_JUMP_IF_NOT_NONE JUMP_IF_TRUE_OR_POP JUMP_IF_FALSE_OR_POP"
).split()


class Layout:
    """What raw decoding needs to know of one version: names, cache sizes, kinds of jump, and the jump's unit."""

    def __init__(self, version: Version) -> None:
        self.version = version
        self.number = numbers(version)
        self.name: List[Optional[str]] = [None] * 256
        self.width = [0] * 256  # code units with caches; 0 for an unknown opcode
        self.jump = [0] * 256
        sizes = caches(version)
        for name, number in self.number.items():
            self.name[number] = name
            self.width[number] = 1 + sizes.get(name, 0)
        self._set_jumps(_RELATIVE, FORWARD)
        self._set_jumps(_BACKWARD, BACKWARD)
        self._set_jumps(_ABSOLUTE, ABSOLUTE)
        self._set_jumps(_CONDITIONAL, FORWARD if version >= (3, 11) else ABSOLUTE)
        self.jumps = frozenset(number for number, kind in enumerate(self.jump) if kind)
        self.extended = self.number["EXTENDED_ARG"]
        self.widths = bytes(self.width)
        self.has_caches = bool(sizes)
        # a jump's argument counts code units since 3.10, bytes before
        self.scale = 1 if version >= (3, 10) else 2

    def _set_jumps(self, names: Iterable[str], kind: int) -> None:
        for name in names:
            if name in self.number:
                self.jump[self.number[name]] = kind


@lru_cache(maxsize=None)
def layout_of(version: Version) -> Layout:
    if version not in VERSIONS:
        known = ", ".join(f"{major}.{minor}" for major, minor in VERSIONS)
        raise DecompilationError(f"bytecode of CPython {version[0]}.{version[1]} is not known, only {known}")
    return Layout(version)


class Raw:
    """The instructions of one code object, in parallel lists; `targets` maps a jump's index to its target's index.

    `copies` and `nexts` are for the copies that `expand` makes: which copy an instruction belongs to (empty: there is
    only one), and where control goes on if not to the next index.
    """

    __slots__ = ("code", "data", "layout", "ops", "args", "offsets", "starts", "lines", "unit_lines", "targets", "copies", "nexts")

    def __init__(self, code: Any, layout: Layout) -> None:
        self.code = code
        self.data: bytes = code.co_code  # read once: since 3.11 it is made anew each time
        self.layout = layout
        self.ops: List[int] = []
        self.args: List[int] = []
        self.offsets: List[int] = []  # of the opcode itself, as f_lasti has it
        self.starts: Sequence[int] = []  # in code units: of its first EXTENDED_ARG, where jumps go
        self.lines: List[Optional[int]] = []
        self.unit_lines: List[Optional[int]] = []
        self.targets: Dict[int, int] = {}
        self.copies: List[int] = []
        self.nexts: Dict[int, int] = {}

    def name(self, index: int) -> str:
        return self.layout.name[self.ops[index]] or str(self.ops[index])

    def error(self, message: str, index: int) -> DecompilationError:
        return DecompilationError(message, self.code.co_name, self.offsets[index], self.name(index))

    def index_of_starts(self) -> List[int]:
        """Code unit -> index of the instruction that starts there, else -1."""
        table = [-1] * (len(self.data) // 2 + 1)
        for index, unit in enumerate(self.starts):
            table[unit] = index
        return table


def decode(code: Any, version: Version) -> Raw:
    """Decode co_code; raises DecompilationError for unknown opcodes, truncated code and jumps into nowhere."""
    layout = layout_of(version)
    raw = Raw(code, layout)
    jumps = _scan(raw, raw.data)
    if not raw.ops:
        raise DecompilationError("the code object has no instruction", code.co_name)
    size = len(raw.data) // 2
    lines = unit_lines(code, size, version)
    raw.unit_lines = lines
    if layout.extended in raw.data[::2]:
        _forget_lines_of_extended(raw)
    raw.lines = lines[:size] if len(raw.ops) == size else [lines[offset >> 1] for offset in raw.offsets]
    if jumps:
        _resolve(raw, jumps)
    return raw


def _scan(raw: Raw, data: bytes) -> List[Tuple[int, int]]:
    """Fill the lists; return the jumps as (index, target's code unit)."""
    layout = raw.layout
    if len(data) % 2:
        raise DecompilationError("co_code ends in the middle of a code unit", raw.code.co_name, len(data) - 1)
    codes, values = data[::2], data[1::2]
    units = _units(raw, codes)
    if layout.extended in codes:
        _join_extended(raw, units, codes, values)
    elif len(units) == len(codes):
        raw.starts, raw.ops, raw.args = units, [*codes], [*values]
        raw.offsets = [*range(0, len(data), 2)]
    else:
        raw.starts = units
        raw.offsets = [2 * unit for unit in units]
        raw.ops = [codes[unit] for unit in units]
        raw.args = [values[unit] for unit in units]
    return _jumps(raw) if not layout.jumps.isdisjoint(raw.ops) else []


def _jumps(raw: Raw) -> List[Tuple[int, int]]:
    layout = raw.layout
    kinds, width, scale, args, offsets = layout.jump, layout.width, layout.scale, raw.args, raw.offsets
    jumps: List[Tuple[int, int]] = []
    for index in [index for index, op in enumerate(raw.ops) if kinds[op]]:
        op = raw.ops[index]
        target = args[index] // scale
        if kinds[op] != ABSOLUTE:
            after = offsets[index] // 2 + width[op]
            target = after + target if kinds[op] == FORWARD else after - target
        jumps.append((index, target))
    return jumps


def _units(raw: Raw, codes: bytes) -> Sequence[int]:
    """The code units where opcodes stand, those of extended arguments too."""
    size = len(codes)
    steps = codes.translate(raw.layout.widths)
    if not raw.layout.has_caches and 0 not in steps:
        return range(size)
    units = array("I")
    append = units.append
    unit = 0
    while unit < size:
        append(unit)
        step = steps[unit]
        if not step:
            raise DecompilationError("unknown opcode", raw.code.co_name, unit * 2, codes[unit])
        unit += step
    if unit != size:
        raise DecompilationError("co_code ends in the middle of an instruction", raw.code.co_name, units[-1] * 2)
    return units


def _join_extended(raw: Raw, units: Sequence[int], codes: bytes, values: bytes) -> None:
    """Fill the lists from code with EXTENDED_ARG, each of which has the higher bytes of the next argument."""
    ops, args, offsets = raw.ops, raw.args, raw.offsets
    raw.starts = starts = array("I")
    extended = raw.layout.extended
    start, high = -1, 0
    for unit in units:
        op = codes[unit]
        if start < 0:
            start = unit
        if op == extended:
            high = (high | values[unit]) << 8 & 0xFFFFFFFF
            continue
        ops.append(op)
        args.append(high | values[unit])
        offsets.append(2 * unit)
        starts.append(start)
        start, high = -1, 0
    if start >= 0:
        raise DecompilationError("co_code ends in the middle of an instruction", raw.code.co_name, start * 2)


def _forget_lines_of_extended(raw: Raw) -> None:
    """An EXTENDED_ARG is no instruction by itself: who asks on which lines something stands should not find those."""
    for start, offset in zip(raw.starts, raw.offsets):
        for unit in range(start, offset >> 1):
            raw.unit_lines[unit] = None


def _resolve(raw: Raw, jumps: List[Tuple[int, int]]) -> None:
    where = raw.index_of_starts()
    size = len(where)
    for index, unit in jumps:
        target = where[unit] if 0 <= unit < size else -1
        if target < 0:
            raise raw.error(f"jump to offset {unit * 2}, where no instruction starts", index)
        raw.targets[index] = target
