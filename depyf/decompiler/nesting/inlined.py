"""Which instructions belong to comprehensions that the compiler has inlined; asked for many, so each answer is a look-up.

Where such a comprehension stands is known by what lies on the stack meanwhile, not by offsets: the end of an asynchronous one is
moved behind everything else.
"""

from __future__ import annotations

from typing import Dict, FrozenSet, Iterable, List, Optional, Set, Tuple

from depyf.bytecode.canonical import Block, Instruction
from depyf.bytecode.codes import takes_globals_for_variables

from ..lifting.values import Saved
from ..structuring.expressions import expressions_in
from ..tree import Comprehension, Expr, ExprStmt


class Variable:
    """A name that an inlined comprehension hides: `during` are the offsets of all that runs meanwhile, `until` of what gives the name back.

    Few ask for them as sets, which take much more memory: those are made when somebody does."""

    __slots__ = ("name", "during", "until", "_offsets", "_ends")

    def __init__(self, name: str, during: Tuple[int, ...], until: Tuple[int, ...]) -> None:
        self.name = name
        self.during = during
        self.until = until
        self._offsets: Optional[FrozenSet[int]] = None
        self._ends: Optional[FrozenSet[int]] = None

    @property
    def offsets(self) -> FrozenSet[int]:
        if self._offsets is None:
            self._offsets = frozenset(self.during)
        return self._offsets

    @property
    def ends(self) -> FrozenSet[int]:
        if self._ends is None:
            self._ends = frozenset(self.until)
        return self._ends


def hidden_variables(given_back: List[Tuple[Saved, int]], stacks: Iterable[Tuple[Block, List[Expr]]]) -> List[Variable]:
    """The variables of all inlined comprehensions, given where their names are given back and the stacks that blocks begin with."""
    ends: Dict[int, Tuple[int, ...]] = {}
    variables: Dict[int, Saved] = {}
    for saved, offset in given_back:
        known = ends.get(saved.offset, ())
        if offset not in known:
            ends[saved.offset] = (*known, offset)
        variables[saved.offset] = saved
    offsets: Dict[int, List[int]] = {start: [] for start in variables}
    for block, stack in stacks if variables else ():
        hidden = [value.offset for value in stack if isinstance(value, Saved) and value.offset in ends]
        before = -1
        for instruction in block.instructions:
            offset = instruction.offset
            if offset in ends:
                hidden.append(offset)
            if offset != before:  # several instructions may share one
                for start in hidden:
                    offsets[start].append(offset)
                before = offset
            hidden = [start for start in hidden if offset not in ends[start]] if hidden else hidden
    # each list goes as soon as its tuple is there
    return [Variable(v.local, tuple(offsets.pop(start)), ends[start]) for start, v in variables.items()]


def evaluated_inside(made: Comprehension) -> List[Expr]:
    """Every expression that a comprehension evaluates itself: all but what its first clause goes through."""
    first, *others = made.generators
    parts = [made.element, made.value, *first.ifs]
    parts += [part for generator in others for part in (generator.iter, *generator.ifs)]
    return [e for part in parts if part is not None for e in expressions_in(ExprStmt(part))]


class Inlined:
    """The variables of inlined comprehensions, and where those comprehensions stand."""

    def __init__(self, variables: List[Variable]) -> None:
        self.anywhere: Set[int] = set()
        self.by_name: Dict[str, Set[int]] = {}
        for variable in variables:
            self.anywhere.update(variable.during)
            self.by_name.setdefault(variable.name, set()).update(variable.during)

    def holds(self, instruction: Instruction) -> bool:
        """Whether an instruction stands in one of them."""
        return instruction.offset in self.anywhere

    def owns(self, instruction: Instruction) -> bool:
        """Whether an instruction is about a variable of one of them."""
        return instruction.offset in self.by_name.get(instruction.arg, ())

    def shares(self, instruction: Instruction) -> bool:
        """Whether an instruction in one of them is about a name that any has for a variable."""
        return instruction.arg in self.by_name and self.holds(instruction)

    def takes(self, instruction: Instruction) -> bool:
        """Whether it is about a variable of one of them, or about a global that the compiler takes for one of those before."""
        if self.owns(instruction) or not takes_globals_for_variables():
            return self.owns(instruction)
        return self.shares(instruction) and min(self.by_name[instruction.arg]) < instruction.offset
