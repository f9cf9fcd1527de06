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
# neither calls code nor raises, if locals are bound; a test of truth stands here too: done again it gives the same
QUIET = frozenset(
    """LOAD_FAST LOAD_FAST_BORROW LOAD_FAST_CHECK STORE_FAST LOAD_CONST LOAD_SMALL_INT LOAD_COMMON_CONSTANT POP_TOP COPY DUP_TOP
    SWAP ROT_TWO ROT_THREE IS_OP UNARY_NOT TO_BOOL POP_ITER LOAD_FAST_LOAD_FAST LOAD_FAST_BORROW_LOAD_FAST_BORROW
    STORE_FAST_LOAD_FAST STORE_FAST_STORE_FAST POP_JUMP_IF_TRUE POP_JUMP_IF_FALSE POP_JUMP_IF_NONE POP_JUMP_IF_NOT_NONE
    POP_JUMP_FORWARD_IF_TRUE POP_JUMP_FORWARD_IF_FALSE POP_JUMP_FORWARD_IF_NONE POP_JUMP_FORWARD_IF_NOT_NONE
    POP_JUMP_BACKWARD_IF_TRUE POP_JUMP_BACKWARD_IF_FALSE POP_JUMP_BACKWARD_IF_NONE POP_JUMP_BACKWARD_IF_NOT_NONE
    JUMP_IF_TRUE_OR_POP JUMP_IF_FALSE_OR_POP POP_BLOCK""".split()
)
SILENT = frozenset(("NOP", "CACHE", "RESUME", "NOT_TAKEN"))


class Flow:
    """Facts about one assembly, computed once; positions are indexes into its instructions."""

    def __init__(self, assembly: Assembly) -> None:
        self.assembly = assembly
        self.code = assembly.instructions
        self.position: Dict[int, int] = {id(instruction): index for index, instruction in enumerate(self.code)}
        self.jumped_to = {id(instruction.target) for instruction in self.code if instruction.target is not None}
        self.constants: Dict[int, Dict[str, object]] = {}  # what locals hold before each instruction, where it is known
        self.handlers = [self._at(entry.target) for entry in assembly.table]
        self.depth = self._depths()
        self.reachable = frozenset(self.depth) & self._feasible()
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
        decided = self._decided(index)
        if decided is not None:
            return [self._at(instruction.target)] if decided else result
        if instruction.target is not None and not (instruction.op == "END_ASYNC_FOR" and VERSION >= (3, 14)):
            target = self._at(instruction.target)
            if target < len(self.code):
                result.append(target)
        return result

    def _decided(self, index: int) -> Optional[bool]:
        """For a conditional jump right behind the constant it tests: whether it is taken."""
        instruction = self.code[index]
        if not instruction.op.startswith("POP_JUMP") or index == 0 or id(instruction) in self.jumped_to:
            return None
        before = self.code[index - 1]
        if before.op != "LOAD_CONST" or not instruction.op.endswith(("_TRUE", "_FALSE")):
            return None
        return bool(self.assembly.constants[before.arg]) == instruction.op.endswith("_TRUE")

    def _falls_through(self, index: int, depth: Dict[int, int]) -> bool:
        """3.8: whether END_FINALLY can go on. At the end of an except chain, or of `as e` whose body always leaves, it only raises."""
        if index and self.code[index - 1].op in STOPS:
            return False
        if index >= 4 and self.code[index - 1].op == "DELETE_FAST":
            return self.code[index - 4].op == "BEGIN_FINALLY" and index - 4 in depth
        return True

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
        waiting: List[int] = []  # instructions END_FINALLY, decided when everything else is known
        while todo or waiting:
            if not todo:
                ends = [index for index in waiting if self._falls_through(index, depth)]
                waiting = [index for index in waiting if index not in ends]
                todo = [(index + 1, depth[index] + self._effect(self.code[index], False)) for index in ends]
                if not todo:
                    break
            index, here = todo.pop()
            if index in depth or index >= len(self.code):
                continue
            depth[index] = here
            instruction = self.code[index]
            if instruction.op == "END_FINALLY":
                waiting.append(index)
                continue
            following = self.successors(index)
            try:
                if index + 1 in following:
                    todo.append((index + 1, here + self._effect(instruction, False)))
                if instruction.target is not None and self._at(instruction.target) in following:
                    todo.append((self._at(instruction.target), here + self._effect(instruction, True)))
            except ValueError:
                continue
        return depth

    def _feasible(self) -> FrozenSet[int]:
        """What can be reached when locals that hold a constant are followed: `data = None` decides a later `if data`."""
        known: Dict[int, Dict[str, object]] = {0: {}}
        always = self._stored_once()
        known.update((index, dict(always)) for index in self.handlers if index < len(self.code))
        todo = list(known)
        while todo:
            index = todo.pop()
            state = dict(known[index])
            following, taken = self.successors(index), self._tested(index, state)
            instruction = self.code[index]
            if taken is not None and instruction.target is not None:
                following = [self._at(instruction.target)] if taken else [index + 1]
            before = self.code[index - 1] if index else instruction
            for name in self._reads(instruction)[1]:
                state.pop(name, None)
                if instruction.op == "STORE_FAST" and before.op == "LOAD_CONST" and id(instruction) not in self.jumped_to:
                    state[name] = self.assembly.constants[before.arg]
            for place in following:
                # a handler of a version with a block stack may be entered from anywhere in its range
                held = always if instruction.op.startswith("SETUP_") and place != index + 1 else state
                if place not in known:
                    known[place] = dict(held)
                    todo.append(place)
                    continue
                kept = {n: v for n, v in known[place].items() if n in held and held[n] is v}
                if len(kept) != len(known[place]):
                    known[place] = kept
                    todo.append(place)
        self.constants = known
        return frozenset(known)

    def never_taken(self, index: int) -> bool:
        """Whether the constants that locals hold decide that a conditional jump is not taken."""
        return self._tested(index, self.constants.get(index, {})) is False

    def _stored_once(self) -> Dict[str, object]:
        """Locals whose only store in the whole code is of a constant: what they hold whenever they hold anything."""
        parameters = self.assembly.code.co_argcount + self.assembly.code.co_kwonlyargcount + 2
        stores: Dict[str, List[int]] = {name: [-1] for name in self.assembly.varnames[:parameters]}
        for index, instruction in enumerate(self.code):
            for name in self._reads(instruction)[1]:
                stores.setdefault(name, []).append(index)
        found: Dict[str, object] = {}
        for name, places in stores.items():
            before = self.code[places[0] - 1] if len(places) == 1 and places[0] > 0 else None
            if before is not None and before.op == "LOAD_CONST" and self.code[places[0]].op == "STORE_FAST":
                found[name] = self.assembly.constants[before.arg]
        return found

    def _tested(self, index: int, state: Dict[str, object]) -> Optional[bool]:
        """Whether the conditional jump at a place is taken, where what it tests is a local with a known constant."""
        op = self.code[index].op
        if not op.startswith("POP_JUMP") or id(self.code[index]) in self.jumped_to:
            return None
        loads = [self.code[place] for place in (index - 1, index - 2) if place >= 0]
        if loads and loads[0].op == "TO_BOOL":
            loads = loads[1:]
        if not loads or not loads[0].op.startswith("LOAD_FAST") or len(loads[0].slots) != 1 or loads[0].slots[0] not in state:
            return None
        value = state[loads[0].slots[0]]
        if op.endswith("NONE"):
            return (value is None) != op.endswith("NOT_NONE")
        return bool(value) == op.endswith("TRUE")

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

    def silent_path(self, start: int, goal: int, limit: int = 60) -> bool:
        """Whether control can come from one place to another without anything that could be observed."""
        todo, seen = [start], set()
        while todo and len(seen) < limit:
            index = todo.pop()
            if index == goal or (index < len(self.code) and self.same_from(index, goal)):
                return True
            if index in seen or index >= len(self.code):
                continue
            seen.add(index)
            instruction = self.code[index]
            identity = instruction.op == "COMPARE_OP" and VERSION == (3, 8) and instruction.arg in (8, 9)
            if instruction.op in QUIET or instruction.op in JUMPING or instruction.op in SILENT or identity:
                todo.extend(self.successors(index))
        return False

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
