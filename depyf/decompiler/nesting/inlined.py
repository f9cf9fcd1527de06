"""Which instructions belong to comprehensions that the compiler has inlined; asked for many, so each answer is a look-up.

Where such a comprehension stands is known by what lies on the stack meanwhile, not by offsets: the end of an asynchronous one is
moved behind everything else.
"""

from __future__ import annotations

from typing import Dict, FrozenSet, Iterable, Iterator, List, Optional, Sequence, Set, Tuple

from depyf.bytecode.canonical import Block, Instruction
from depyf.bytecode.codes import takes_globals_for_variables

from ..lifting.values import Saved
from ..marks import Offsets
from ..structuring.expressions import expressions_in
from ..tree import Comprehension, Expr, ExprStmt


class Variable:
    """A name that an inlined comprehension hides: `offsets` are those of all that runs meanwhile, `ends` of what gives the name back."""

    __slots__ = ("name", "offsets", "ends")

    def __init__(self, name: str, offsets: FrozenSet[int], ends: FrozenSet[int]) -> None:
        self.name = name
        self.offsets = offsets
        self.ends = ends


Starts = Tuple[int, ...]  # the offsets at which what is hidden at a place was hidden


class Inlined:
    """The inlined comprehensions of one code object, and where they stand.

    `names` are what they hide, by the offset of what hides it; `ends`, by the same offsets, where each is given back. `blocks` are those
    in which something is hidden, with what is where they begin. What that says of single instructions is found out when somebody
    asks, and once: it takes much memory in long functions."""

    __slots__ = ("names", "ends", "blocks", "_variables", "_stands", "_owned", "_first")

    def __init__(self, names: Dict[int, str], ends: Dict[int, Tuple[int, ...]], blocks: List[Tuple[Block, Starts]]) -> None:
        self.names = names
        self.ends = ends
        self.blocks = blocks
        self._variables: Optional[List[Variable]] = None
        self._stands: Optional[Offsets] = None
        self._owned: Set[Tuple[str, int]] = set()
        self._first: Dict[str, int] = {}

    def __bool__(self) -> bool:
        return bool(self.names)

    def hidden_names(self) -> Set[str]:
        return set(self.names.values())

    @property
    def variables(self) -> List[Variable]:
        """All of them, with every offset at which they are hidden: much, and asked for by few."""
        if self._variables is None:
            offsets: Dict[int, Set[int]] = {start: set() for start in self.names}
            for instruction, hidden in self._meanwhile():
                for start in hidden:
                    offsets[start].add(instruction.offset)
            made = [Variable(name, frozenset(offsets[start]), frozenset(self.ends[start])) for start, name in self.names.items()]
            self._variables = made
        return self._variables

    def holds(self, instruction: Instruction) -> bool:
        """Whether an instruction stands in one of them."""
        return instruction.offset in (self._stands or self._look())

    def owns(self, instruction: Instruction) -> bool:
        """Whether an instruction is about a variable of one of them."""
        if self._stands is None:
            self._look()
        return (instruction.arg, instruction.offset) in self._owned

    def shares(self, instruction: Instruction) -> bool:
        """Whether an instruction in one of them is about a name that any has for a variable."""
        return self.holds(instruction) and instruction.arg in self._first

    def takes(self, instruction: Instruction) -> bool:
        """Whether it is about a variable of one of them, or about a global that the compiler takes for one of those before."""
        if self.owns(instruction) or not takes_globals_for_variables():
            return self.owns(instruction)
        return self.shares(instruction) and self._first[instruction.arg] < instruction.offset

    def _look(self) -> Offsets:
        self._stands = stands = Offsets()
        known: Optional[Starts] = None
        names: Set[str] = set()
        for instruction, hidden in self._meanwhile():
            if hidden is not known:
                known = hidden
                names = {self.names[start] for start in hidden}
                for name in names:
                    self._first[name] = min(instruction.offset, self._first.get(name, instruction.offset))
            stands.add(instruction.offset)
            if isinstance(instruction.arg, str) and instruction.arg in names:
                self._owned.add((instruction.arg, instruction.offset))
        return stands

    def _meanwhile(self) -> Iterator[Tuple[Instruction, Starts]]:
        """Each instruction that stands in one of them, with what is hidden there. Several may share an offset, and what is said of the
        first of them holds for all."""
        ends = self.ends
        for block, hidden in self.blocks:
            before, here = -1, hidden
            for instruction in block.instructions:
                offset = instruction.offset
                if offset in ends and offset not in hidden:
                    hidden = (*hidden, offset)
                if offset != before:
                    before, here = offset, hidden
                if here:
                    yield instruction, here
                if hidden and any(offset in ends[start] for start in hidden):
                    hidden = tuple(start for start in hidden if offset not in ends[start])


NOTHING_INLINED = Inlined({}, {}, [])


def find_inlined(given_back: List[Tuple[Saved, int]], begin_in: Set[Block], stacks: Iterable[Tuple[Block, Sequence[Expr]]]) -> Inlined:
    """All of a code object, given where names are given back, the blocks in which some are hidden, and the stacks that they begin with."""
    names: Dict[int, str] = {}
    ends: Dict[int, Tuple[int, ...]] = {}
    for saved, offset in given_back:
        names[saved.offset] = saved.local
        known = ends.get(saved.offset, ())
        if offset not in known:
            ends[saved.offset] = (*known, offset)
    blocks: List[Tuple[Block, Starts]] = []
    before: Starts = ()
    for block, stack in stacks:
        hidden = tuple([value.offset for value in stack if value.__class__ is Saved and value.offset in ends])
        if hidden or block in begin_in:
            before = before if hidden == before else hidden  # one for all blocks of a comprehension
            blocks.append((block, before))
    return Inlined(names, ends, blocks)


def evaluated_inside(made: Comprehension) -> List[Expr]:
    """Every expression that a comprehension evaluates itself: all but what its first clause goes through."""
    first, *others = made.generators
    parts = [made.element, made.value, *first.ifs]
    parts += [part for generator in others for part in (generator.iter, *generator.ifs)]
    return [e for part in parts if part is not None for e in expressions_in(ExprStmt(part))]
