"""CPython 3.8 runs one `finally` body for every way in; here each way gets its own copy, as 3.9's compiler does.

The code is walked with what lies on the block stack and below it: NULL from BEGIN_FINALLY, a return address from
CALL_FINALLY, or an exception. Instructions that act by that are told so in their argument (`NORMAL`, `CALLED`,
`RAISED`). The result is raw instructions again, with an order of their own: `nexts` says where control goes on.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Callable, Dict, FrozenSet, List, Optional, Set, Tuple

from depyf.bytecode.ranges import Protection
from depyf.bytecode.raw import Layout, Raw

NORMAL, CALLED, RAISED, SETUP = 0, 1, 2, 3

# deeper nesting, or more copies, than any compiler makes of a program that it accepts
_DEEPEST = 100
_MOST_COPIES = 200


class Entry:
    """What the walk knows to lie on the stack, from the innermost outwards; equal chains are one object.

    A state of the walk is `base` + the index of an instruction, so states are plain numbers. A way out of the middle of
    a `finally` body has entries of its own, `leaving` that copy of the body, up to where it returns or jumps.
    """

    __slots__ = ("below", "kind", "detail", "catches", "depth", "base", "order", "inside", "leaving", "shared", "ways_out")

    def __init__(self, below: Optional[Entry], kind: int, detail: int, catches: int, base: int) -> None:
        self.below = below
        self.kind = kind
        self.detail = detail  # the SETUP's index, or the index to return to
        self.catches = catches
        self.base = base
        self.depth: int = 0 if below is None else below.depth + 1
        # where copies stand: the normal way first, then in order of discovery
        self.order: Tuple[int, int] = below.order if below is not None and kind == SETUP else (kind, base)
        self.inside: Dict[Tuple[int, int], Entry] = {}
        self.leaving: Optional[Entry] = None
        self.shared = self  # the entry that all ways to a place have in common
        self.ways_out: Dict[Entry, Entry] = {}


class _Expansion:
    """One walk over one code object."""

    def __init__(self, raw: Raw) -> None:
        self.raw = raw
        self.size = len(raw.ops)
        self.root = Entry(None, -1, -1, -1, 0)
        self.entries = [self.root]
        self.protection = Protection()
        self.handlers: List[int] = []  # the states they start in
        self.states: Set[int] = set()
        self.work: List[Tuple[int, Entry]] = []
        self.arguments: Dict[int, int] = {}
        self.jumps: Dict[int, int] = {}
        self.follow: Dict[int, int] = {}  # where control goes on to, if not to the next index with the same entry

    def push(self, index: int, below: Entry, kind: int, detail: int) -> Entry:
        known = below.inside.get((kind, detail))
        if known is None:
            if below.depth >= _DEEPEST:
                raise self.raw.error("finally blocks are nested too deeply", index)
            catches = len(self.handlers) if kind == SETUP else below.catches
            known = Entry(below, kind, detail, catches, len(self.entries) * self.size)
            self.entries.append(known)
            below.inside[(kind, detail)] = known
        return known

    def pop(self, index: int, entry: Entry, *kinds: int) -> Entry:
        if entry.below is None or entry.kind not in kinds:
            raise self.raw.error("the block stack has another entry on top than what is popped", index)
        return entry.below if entry.leaving is None else self.leave(entry.below, entry.leaving)

    def leave(self, entry: Entry, left: Entry) -> Entry:
        """The same entry, for the way out of `left` alone."""
        entry = entry.shared
        found = entry.ways_out.get(left)
        if found is None:
            found = Entry(entry.below, entry.kind, entry.detail, entry.catches, len(self.entries) * self.size)
            found.order, found.leaving, found.shared = left.order, left, entry
            self.entries.append(found)
            entry.ways_out[left] = found
        return found

    def jump(self, state: int, index: int, entry: Entry) -> None:
        """Control may go from a state to this index with this entry."""
        self.jumps[state] = entry.base + index
        self.work.append((index, entry))

    def run(self) -> None:
        raw, size, states = self.raw, self.size, self.states
        ops, targets = raw.ops, raw.targets
        rules = _rules(raw.layout)
        most = _MOST_COPIES * size
        self.work.append((0, self.root))
        while self.work:
            index, entry = self.work.pop()
            while index < size:
                state = entry.base + index
                if state in states:
                    break
                states.add(state)
                rule = rules[ops[index]]
                if rule is not None:
                    after = rule(self, index, entry)
                    if after is None:
                        break
                    if after is not entry:
                        entry = after
                        self.follow[state] = entry.base + index + 1
                elif index in targets:
                    self.jump(state, targets[index], entry)
                index += 1
            if len(states) > most:
                raise raw.error("finally blocks have too many ways in", min(index, size - 1))

    def result(self) -> Tuple[Raw, Protection]:
        """Raw instructions in a new order: first one copy of everything, then the others, each in bytecode order."""
        old, size = self.raw, self.size
        raw, indices, placed = self._arranged()
        where = {state: new for new, state in enumerate(placed)}
        entries = self.entries
        self.protection.covering = [entries[state // size].catches for state in placed]
        self.protection.handlers = [(where[state], -1, False) for state in self.handlers]
        self.protection.setups = {where[state]: handler for state, handler in self.protection.setups.items()}
        follow, states, rules = self.follow, self.states, _rules(old.layout)
        first: Dict[int, int] = {}  # copy of an instruction: what nothing reaches may lead there as well as to any other
        for new, index in enumerate(indices):
            first.setdefault(index, new)
        for new, state in enumerate(placed):
            if state not in states:
                index = indices[new]
                if rules[old.ops[index]] is not None:
                    raw.args[new] = NORMAL  # of no consequence, but no more than the lowering expects
                if index in old.targets:
                    raw.targets[new] = first.get(old.targets[index], new)
                continue
            after = where.get(follow.get(state, state + 1), new)
            if after != new + 1 and after != new:
                raw.nexts[new] = after
        for state, target in self.jumps.items():
            raw.targets[where[state]] = where[target]
        for state, argument in self.arguments.items():
            new = where[state]
            raw.args[new] = argument
            # after WITH_CLEANUP_FINISH comes the other way first, so where this one goes is always said
            if argument == RAISED and state in self.jumps:
                raw.nexts.setdefault(new, new + 1)
        return raw, self.protection

    def _arranged(self) -> Tuple[Raw, List[int], List[int]]:
        """The instructions in their new order, with the index that each had and the state in which it is reached."""
        old, raw = self.raw, Raw(self.raw.code, self.raw.layout)
        raw.unit_lines = old.unit_lines
        states = self._place_once()
        if states is not None:
            raw.ops, raw.offsets, raw.starts, raw.lines = old.ops, old.offsets, old.starts, old.lines
            raw.args = old.args[:]  # some are replaced
            return raw, list(range(self.size)), states
        indices, raw.copies, states = self._place_copies()
        for name in ("ops", "args", "offsets", "starts", "lines"):
            values = getattr(old, name)
            setattr(raw, name, [values[index] for index in indices])
        return raw, indices, states

    def _place_once(self) -> Optional[List[int]]:
        """The states by index, if there is but one for each, as without a `finally`; what nothing reaches has nothing on the stack."""
        size = self.size
        found = [-1] * size
        for state in self.states:
            index = state % size
            if found[index] >= 0:
                return None
            found[index] = state
        return [index if state < 0 else state for index, state in enumerate(found)] if -1 in found else found

    def _place_copies(self) -> Tuple[List[int], List[int], List[int]]:
        """Index, number of the copy, and state of each instruction in the new order: by the copy whose part of the code it is."""
        size, entries = self.size, self.entries
        by_index: List[List[int]] = [[] for _ in range(size)]
        for state in self.states:
            by_index[state % size].append(state)
        placed = []
        for index, states in enumerate(by_index):
            if len(states) > 1:
                states.sort(key=lambda state: entries[state // size].order)
            for copy, state in enumerate(states):
                placed.append((entries[state // size].order[1] if copy else 0, index, copy, state))
            if not states:  # unreachable: it stays where it is, as if with nothing on the stack
                placed.append((0, index, 0, index))
        placed.sort()
        return [index for _, index, _, _ in placed], [copy for _, _, copy, _ in placed], [state for _, _, _, state in placed]


# --- what instructions do to the walk: each returns what lies on the stack after it, or None if control does not go on --


def _set_up(walk: _Expansion, index: int, entry: Entry) -> Optional[Entry]:
    inner = walk.push(index, entry, SETUP, index)
    handler = walk.push(index, entry, RAISED, index)
    target = walk.raw.targets[index]
    walk.protection.setups[entry.base + index] = len(walk.handlers)
    walk.handlers.append(handler.base + target)
    walk.work.append((target, handler))
    return inner


def _pop_block(walk: _Expansion, index: int, entry: Entry) -> Optional[Entry]:
    return walk.pop(index, entry, SETUP)


def _leave_handler(walk: _Expansion, index: int, entry: Entry) -> Optional[Entry]:
    return walk.pop(index, entry, RAISED)


def _begin_finally(walk: _Expansion, index: int, entry: Entry) -> Optional[Entry]:
    return walk.push(index, entry, NORMAL, 0)


def _call_finally(walk: _Expansion, index: int, entry: Entry) -> Optional[Entry]:
    walk.jump(entry.base + index, walk.raw.targets[index], walk.push(index, entry, CALLED, index + 1))
    return None


def _end_finally(walk: _Expansion, index: int, entry: Entry) -> Optional[Entry]:
    below = walk.pop(index, entry, NORMAL, CALLED, RAISED)
    walk.arguments[entry.base + index] = entry.kind
    if entry.kind == NORMAL:
        return below
    if entry.kind == CALLED:
        if entry.detail >= walk.size:
            raise walk.raw.error("a finally block returns to the end of the code", index)
        walk.jump(entry.base + index, entry.detail, below)
    return None


def _pop_finally(walk: _Expansion, index: int, entry: Entry) -> Optional[Entry]:
    below = walk.pop(index, entry, NORMAL, CALLED, RAISED)
    walk.arguments[entry.base + index] = entry.kind << 1 | bool(walk.raw.args[index])
    return walk.leave(below, entry)


def _with_cleanup_start(walk: _Expansion, index: int, entry: Entry) -> Optional[Entry]:
    walk.pop(index, entry, NORMAL, RAISED)
    walk.arguments[entry.base + index] = entry.kind
    return entry


def _with_cleanup_finish(walk: _Expansion, index: int, entry: Entry) -> Optional[Entry]:
    """A swallowed exception leaves NULL in its place: from there on it is the normal way."""
    below = walk.pop(index, entry, NORMAL, RAISED)
    walk.arguments[entry.base + index] = entry.kind
    if entry.kind == RAISED:
        if index + 1 >= walk.size:
            raise walk.raw.error("control runs off the end of the code", index)
        walk.jump(entry.base + index, index + 1, walk.push(index, below, NORMAL, 0))
    return entry


def _jump(walk: _Expansion, index: int, entry: Entry) -> Optional[Entry]:
    walk.jump(entry.base + index, walk.raw.targets[index], entry.shared)
    return None


def _leave(walk: _Expansion, index: int, entry: Entry) -> Optional[Entry]:
    return None


Rule = Callable[[_Expansion, int, Entry], Optional[Entry]]

_RULES: Dict[str, Rule] = {
    "SETUP_FINALLY": _set_up,
    "SETUP_WITH": _set_up,
    "SETUP_ASYNC_WITH": _set_up,
    "POP_BLOCK": _pop_block,
    "POP_EXCEPT": _leave_handler,
    "END_ASYNC_FOR": _leave_handler,
    "BEGIN_FINALLY": _begin_finally,
    "CALL_FINALLY": _call_finally,
    "END_FINALLY": _end_finally,
    "POP_FINALLY": _pop_finally,
    "WITH_CLEANUP_START": _with_cleanup_start,
    "WITH_CLEANUP_FINISH": _with_cleanup_finish,
    "JUMP_FORWARD": _jump,
    "JUMP_ABSOLUTE": _jump,
    "RETURN_VALUE": _leave,
    "RAISE_VARARGS": _leave,
}


@lru_cache(maxsize=None)
def _rules(layout: Layout) -> List[Optional[Rule]]:
    """Opcode number -> rule."""
    rules: List[Optional[Rule]] = [None] * 256
    for name, rule in _RULES.items():
        rules[layout.number[name]] = rule
    return rules


@lru_cache(maxsize=None)
def _stack_opcodes(layout: Layout) -> FrozenSet[int]:
    return frozenset(layout.number[name] for name, rule in _RULES.items() if rule is not _leave and rule is not _jump)


def expand(raw: Raw) -> Tuple[Raw, Protection]:
    """The code with a copy of each finally body for each way into it, and what protects each instruction."""
    if _stack_opcodes(raw.layout).isdisjoint(raw.ops):
        return raw, Protection()
    walk = _Expansion(raw)
    walk.run()
    return walk.result()
