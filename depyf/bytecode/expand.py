"""CPython 3.8 runs one `finally` body for every way in; here each way gets its own copy, as 3.9's compiler does.

The code is walked with what lies on the block stack and below it: NULL from BEGIN_FINALLY, a return address from
CALL_FINALLY, or an exception. Instructions that act by that are told so in their argument (`NORMAL`, `CALLED`,
`RAISED`). The result is raw instructions again, with an order of their own: `nexts` says where control goes on.
"""

from __future__ import annotations

from typing import Dict, List, Optional, Set, Tuple

from depyf.bytecode.ranges import Protection
from depyf.bytecode.raw import Raw

NORMAL, CALLED, RAISED, SETUP = 0, 1, 2, 3

# deeper nesting, or more copies, than any compiler makes of a program that it accepts
_DEEPEST = 100
_MOST_COPIES = 200


class Entry:
    """What the walk knows to lie on the stack, from the innermost outwards; equal chains are one object."""

    __slots__ = ("below", "kind", "detail", "catches", "depth", "group", "order", "inside")

    def __init__(self, below: Optional[Entry], kind: int, detail: int, catches: int, group: int) -> None:
        self.below = below
        self.kind = kind
        self.detail = detail  # the SETUP's index, or the index to return to
        self.catches = catches
        self.depth: int = 0 if below is None else below.depth + 1
        self.group = group  # which copy of the code around it this is, in order of discovery
        self.order: Tuple[int, int] = (kind, group) if below is None or kind != SETUP else below.order
        self.inside: Dict[Tuple[int, int], Entry] = {}


State = Tuple[int, Entry]


class _Expansion:
    """One walk over one code object."""

    def __init__(self, raw: Raw) -> None:
        self.raw = raw
        self.groups = 1
        self.root = Entry(None, -1, -1, -1, 0)
        self.protection = Protection()
        self.handler_states: List[State] = []
        self.handler_of_setup: Dict[State, int] = {}
        self.states: Dict[State, None] = {}  # in order of discovery
        self.work: List[State] = []
        self.arguments: Dict[State, int] = {}
        self.jumps: Dict[State, State] = {}
        self.follow: Dict[State, State] = {}

    def push(self, index: int, below: Entry, kind: int, detail: int) -> Entry:
        known = below.inside.get((kind, detail))
        if known is None:
            if below.depth >= _DEEPEST:
                raise self.raw.error("finally blocks are nested too deeply", index)
            group, catches = below.group, below.catches
            if kind == SETUP:
                catches = len(self.handler_states)
            else:
                group = self.groups
                self.groups += 1
            known = Entry(below, kind, detail, catches, group)
            below.inside[(kind, detail)] = known
        return known

    def pop(self, index: int, entry: Entry, *kinds: int) -> Entry:
        if entry.below is None or entry.kind not in kinds:
            raise self.raw.error("the block stack has another entry on top than what is popped", index)
        return entry.below

    def run(self) -> None:
        raw = self.raw
        name_of = raw.layout.name
        most = _MOST_COPIES * len(raw.ops)
        self.work.append((0, self.root))
        while self.work:
            index, entry = self.work.pop()
            while index < len(raw.ops) and (index, entry) not in self.states:
                state = (index, entry)
                self.states[state] = None
                if len(self.states) > most:
                    raise raw.error("finally blocks have too many ways in", index)
                rule = _RULES.get(name_of[raw.ops[index]] or "")
                if rule is not None:
                    after = rule(self, index, entry)
                    if after is None:
                        break
                    index, entry = after
                else:
                    if index in raw.targets:
                        target = (raw.targets[index], entry)
                        self.jumps[state] = target
                        self.work.append(target)
                    index += 1
                self.follow[state] = (index, entry)

    def result(self) -> Tuple[Raw, Protection]:
        """Raw instructions in a new order: first one copy of everything, then the others, each in bytecode order."""
        old = self.raw
        by_index: List[List[Entry]] = [[] for _ in old.ops]
        for index, entry in self.states:
            by_index[index].append(entry)
        placed: List[Tuple[int, int, int, Entry]] = []
        for index, entries in enumerate(by_index):
            if len(entries) > 1:  # the normal way stays in place
                entries.sort(key=lambda entry: entry.order)
            for copy, entry in enumerate(entries):
                placed.append((copy and entry.group, index, copy, entry))
            if not entries:  # unreachable: it stays where it is, in the root's state
                placed.append((0, index, 0, self.root))
        placed.sort(key=lambda place: place[:3])
        where = {(index, entry): new for new, (_, index, _, entry) in enumerate(placed)}
        raw = Raw(old.code, old.layout)
        covering = []
        for new, (_, index, copy, entry) in enumerate(placed):
            state = (index, entry)
            raw.ops.append(old.ops[index])
            if state in self.states or old.name(index) not in _RULES:
                raw.args.append(self.arguments.get(state, old.args[index]))
            else:
                raw.args.append(NORMAL)
            raw.offsets.append(old.offsets[index])
            raw.starts.append(old.starts[index])
            raw.lines.append(old.lines[index])
            raw.copies.append(copy)
            covering.append(entry.catches)
            if state in self.jumps:
                raw.targets[new] = where[self.jumps[state]]
            elif index in old.targets and state not in self.states:
                raw.targets[new] = where.get((old.targets[index], self.root), new)
            follow = where.get(self.follow.get(state, state), new)
            # after WITH_CLEANUP_FINISH comes the other way first, so where this one goes is always said
            if follow != new and (follow != new + 1 or (state in self.arguments and state in self.jumps)):
                raw.nexts[new] = follow
        self.protection.covering = covering
        self.protection.handlers = [(where[state], -1, False) for state in self.handler_states]
        for state, handler in self.handler_of_setup.items():
            self.protection.setups[where[state]] = handler
        return raw, self.protection


# --- what instructions do to the walk: each returns where it goes on, or None -----------------------------------------


def _set_up(walk: _Expansion, index: int, entry: Entry) -> Optional[State]:
    inner = walk.push(index, entry, SETUP, index)
    state = (index, entry)
    if state not in walk.handler_of_setup:
        handler = (walk.raw.targets[index], walk.push(index, entry, RAISED, index))
        walk.handler_of_setup[state] = len(walk.handler_states)
        walk.handler_states.append(handler)
        walk.work.append(handler)
    return index + 1, inner


def _pop_block(walk: _Expansion, index: int, entry: Entry) -> Optional[State]:
    return index + 1, walk.pop(index, entry, SETUP)


def _leave_handler(walk: _Expansion, index: int, entry: Entry) -> Optional[State]:
    return index + 1, walk.pop(index, entry, RAISED)


def _begin_finally(walk: _Expansion, index: int, entry: Entry) -> Optional[State]:
    return index + 1, walk.push(index, entry, NORMAL, 0)


def _call_finally(walk: _Expansion, index: int, entry: Entry) -> Optional[State]:
    target = (walk.raw.targets[index], walk.push(index, entry, CALLED, index + 1))
    walk.jumps[(index, entry)] = target
    walk.work.append(target)
    return None


def _end_finally(walk: _Expansion, index: int, entry: Entry) -> Optional[State]:
    below = walk.pop(index, entry, NORMAL, CALLED, RAISED)
    walk.arguments[(index, entry)] = entry.kind
    if entry.kind == RAISED:
        return None
    if entry.kind == NORMAL:
        return index + 1, below
    if entry.detail >= len(walk.raw.ops):
        raise walk.raw.error("a finally block returns to the end of the code", index)
    walk.jumps[(index, entry)] = (entry.detail, below)
    walk.work.append((entry.detail, below))
    return None


def _pop_finally(walk: _Expansion, index: int, entry: Entry) -> Optional[State]:
    below = walk.pop(index, entry, NORMAL, CALLED, RAISED)
    walk.arguments[(index, entry)] = entry.kind << 1 | bool(walk.raw.args[index])
    return index + 1, below


def _with_cleanup_start(walk: _Expansion, index: int, entry: Entry) -> Optional[State]:
    walk.pop(index, entry, NORMAL, RAISED)
    walk.arguments[(index, entry)] = entry.kind
    return index + 1, entry


def _with_cleanup_finish(walk: _Expansion, index: int, entry: Entry) -> Optional[State]:
    """A swallowed exception leaves NULL in its place: from there on it is the normal way."""
    below = walk.pop(index, entry, NORMAL, RAISED)
    walk.arguments[(index, entry)] = entry.kind
    if entry.kind == RAISED:
        if index + 1 >= len(walk.raw.ops):
            raise walk.raw.error("control runs off the end of the code", index)
        swallowed = (index + 1, walk.push(index, below, NORMAL, 0))
        walk.jumps[(index, entry)] = swallowed
        walk.work.append(swallowed)
    return index + 1, entry


def _jump(walk: _Expansion, index: int, entry: Entry) -> Optional[State]:
    target = (walk.raw.targets[index], entry)
    walk.jumps[(index, entry)] = target
    walk.work.append(target)
    return None


def _leave(walk: _Expansion, index: int, entry: Entry) -> Optional[State]:
    return None


_RULES = {
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


def _stack_opcodes(number: Dict[str, int]) -> Set[int]:
    return {number[name] for name, rule in _RULES.items() if rule is not _leave and rule is not _jump}


def expand(raw: Raw) -> Tuple[Raw, Protection]:
    """The code with a copy of each finally body for each way into it, and what protects each instruction."""
    number = raw.layout.number
    if not _stack_opcodes(number).intersection(raw.ops):
        return raw, Protection()
    walk = _Expansion(raw)
    walk.run()
    return walk.result()
