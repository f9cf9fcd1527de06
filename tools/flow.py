"""Control flow over raw instructions: what can be reached, how deep the stack is, which locals are read later.

Made for choosing mutants, so it may be coarse to one side: what it calls reachable is, and what it calls live is read on
some path; it shares nothing with depyf.bytecode.
"""

from __future__ import annotations

import dis
from typing import Dict, FrozenSet, List, Optional, Set, Tuple

from tools.assembler import PAIRS, VERSION, Assembly, Instruction

STOPS = frozenset(
    ("RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE", "JUMP_FORWARD", "JUMP_ABSOLUTE", "JUMP_BACKWARD",
     "JUMP_BACKWARD_NO_INTERRUPT")
)  # fmt: skip
JUMPING = frozenset(("JUMP_FORWARD", "JUMP_ABSOLUTE", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT"))
SILENT = frozenset(("NOP", "CACHE", "RESUME", "NOT_TAKEN"))


class Flow:
    """Facts about one assembly, computed once; positions are indexes into its instructions."""

    def __init__(self, assembly: Assembly) -> None:
        self.assembly = assembly
        self.code = assembly.instructions
        self.position: Dict[int, int] = {id(instruction): index for index, instruction in enumerate(self.code)}
        self.handlers = [self._at(entry.target) for entry in assembly.table]
        self.depth = self._depths()
        self.reachable = frozenset(self.depth)
        self.live_after = self._liveness()
        self.targets = self._targets()

    def _at(self, instruction: Optional[Instruction]) -> int:
        return self.position.get(id(instruction), len(self.code))

    def successors(self, index: int) -> List[int]:
        """Where control goes from an instruction, exceptions aside."""
        instruction = self.code[index]
        result = []
        if instruction.op not in STOPS and index + 1 < len(self.code):
            result.append(index + 1)
        if instruction.target is not None and not (instruction.op == "END_ASYNC_FOR" and VERSION >= (3, 14)):
            target = self._at(instruction.target)
            if target < len(self.code):
                result.append(target)
        return result

    def _effect(self, instruction: Instruction, jump: bool) -> int:
        op = dis.opmap[instruction.op]
        argument = instruction.arg if op >= dis.HAVE_ARGUMENT else None
        return dis.stack_effect(op, argument, jump=jump)

    def _depths(self) -> Dict[int, int]:
        """Stack depth before each reachable instruction; handlers of 3.11+ count as reachable with their own depth."""
        depth: Dict[int, int] = {}
        todo: List[Tuple[int, int]] = [(0, 0)]
        covered = {self._at(e.target): e.depth + 1 + e.lasti for e in self.assembly.table}
        todo.extend(covered.items())
        while todo:
            index, here = todo.pop()
            if index in depth or index >= len(self.code):
                continue
            depth[index] = here
            instruction = self.code[index]
            try:
                if index + 1 in self.successors(index):
                    todo.append((index + 1, here + self._effect(instruction, False)))
                if instruction.target is not None:
                    todo.append((self._at(instruction.target), here + self._effect(instruction, True)))
            except ValueError:
                continue
        return depth

    def _targets(self) -> FrozenSet[int]:
        found = {self._at(instruction.target) for instruction in self.code if instruction.target is not None}
        return frozenset(index for index in found if index in self.reachable)

    def _reads(self, instruction: Instruction) -> Tuple[Set[str], Set[str]]:
        """Locals read before anything is written, and locals written."""
        op = instruction.op
        if op in PAIRS:
            first, second = PAIRS[op]
            reads: Set[str] = set()
            writes: Set[str] = set()
            for part, name in zip((first, second), instruction.slots):
                if part.startswith("LOAD"):
                    reads |= {name} - writes
                else:
                    writes.add(name)
            return reads, writes
        if op.startswith("LOAD_FAST") or op == "LOAD_CLOSURE":
            return set(instruction.slots), set()
        if op in ("STORE_FAST", "DELETE_FAST"):  # to delete is not to look at the value
            return set(), set(instruction.slots)
        return set(), set()

    def _liveness(self) -> Dict[int, FrozenSet[str]]:
        """Locals read on some path after each reachable instruction."""
        before: Dict[int, FrozenSet[str]] = {index: frozenset() for index in self.reachable}
        after: Dict[int, FrozenSet[str]] = dict(before)
        effects = {index: self._reads(self.code[index]) for index in self.reachable}
        order = sorted(self.reachable, reverse=True)
        changed = True
        while changed:
            changed = False
            for index in order:
                out: Set[str] = set()
                for following in self.successors(index):
                    out |= before.get(following, frozenset())
                reads, writes = effects[index]
                into = frozenset(reads | (out - writes))
                after[index] = frozenset(out)
                if into != before[index]:
                    before[index] = into
                    changed = True
        return after

    def destination(self, index: int) -> int:
        """Where a jump to this place ends up: through unconditional jumps and instructions that do nothing."""
        seen: Set[int] = set()
        while index < len(self.code) and index not in seen:
            seen.add(index)
            instruction = self.code[index]
            if instruction.op in JUMPING:
                index = self._at(instruction.target)
            elif instruction.op in SILENT:
                index += 1
            else:
                break
        return index

    def same_from(self, first: int, second: int, limit: int = 400) -> bool:
        """Whether the same instructions run from two places on, to where they meet or leave; a finite unfolding."""
        todo, seen = [(first, second)], set()
        while todo:
            one, other = map(self.destination, todo.pop())
            if one == other or (one, other) in seen:
                continue
            if len(seen) > limit or max(one, other) >= len(self.code):
                return False
            seen.add((one, other))
            mine, theirs = self.code[one], self.code[other]
            if (mine.op, mine.slots) != (theirs.op, theirs.slots):
                return False
            if mine.target is None and mine.arg != theirs.arg:
                return False
            todo.extend(zip(self.successors(one), self.successors(other)))
        return True
