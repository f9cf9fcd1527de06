"""Which instructions belong to comprehensions that the compiler has inlined; asked for many, so each answer is a search."""

from __future__ import annotations

from bisect import bisect_right
from typing import Dict, Iterable, List, Tuple

from depyf.bytecode.canonical import Instruction


class Stretches:
    """A union of ranges of offsets."""

    __slots__ = ("starts", "stops")

    def __init__(self, ranges: Iterable[range]) -> None:
        self.starts: List[int] = []
        self.stops: List[int] = []
        for one in sorted(ranges, key=lambda r: r.start):
            if self.stops and one.start <= self.stops[-1]:
                self.stops[-1] = max(self.stops[-1], one.stop)
            else:
                self.starts.append(one.start)
                self.stops.append(one.stop)

    def __contains__(self, offset: int) -> bool:
        index = bisect_right(self.starts, offset) - 1
        return index >= 0 and offset < self.stops[index]


class Inlined:
    """The variables of inlined comprehensions, and where those comprehensions stand."""

    def __init__(self, variables: List[Tuple[str, range]]) -> None:
        self.anywhere = Stretches(where for _, where in variables)
        by_name: Dict[str, List[range]] = {}
        for name, where in variables:
            by_name.setdefault(name, []).append(where)
        self.by_name = {name: Stretches(ranges) for name, ranges in by_name.items()}

    def holds(self, instruction: Instruction) -> bool:
        """Whether an instruction stands in one of them."""
        return instruction.offset in self.anywhere

    def owns(self, instruction: Instruction) -> bool:
        """Whether an instruction is about a variable of one of them."""
        stretches = self.by_name.get(instruction.arg)
        return stretches is not None and instruction.offset in stretches

    def takes(self, instruction: Instruction) -> bool:
        """Whether an instruction in one of them is about a variable of any: the compiler takes a global for such a one."""
        return instruction.arg in self.by_name and self.holds(instruction)
