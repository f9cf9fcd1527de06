"""Protected ranges of the versions with a block stack (3.8 to 3.10), found by walking the code with that stack.

A SETUP instruction pushes an entry that catches; its handler runs with one in its place that does not, until
POP_EXCEPT. The compiler makes every instruction run with one and the same stack, and what does not is refused.
"""

from __future__ import annotations

from typing import Dict, List, Optional, Set, Tuple

from depyf.bytecode.ranges import Protection
from depyf.bytecode.raw import Raw


class Entry:
    """One entry of the block stack, linked to the one below. `catches` is the innermost handler from here down."""

    __slots__ = ("below", "setup", "catches", "inside")

    def __init__(self, below: Optional[Entry], setup: int, catches: int) -> None:
        self.below = below
        self.setup = setup  # index of the SETUP instruction, or -1: a handler is running
        self.catches = catches
        self.inside: Dict[int, Entry] = {}  # entries pushed on this one, by setup: equal stacks are one object


def walk_block_stack(raw: Raw) -> Protection:
    """Which handler covers each instruction; the handlers' depths are left to be measured."""
    number = raw.layout.number
    setup_ops = {number[name] for name in ("SETUP_FINALLY", "SETUP_WITH", "SETUP_ASYNC_WITH")}
    protection = Protection()
    pops = {number[name] for name in ("POP_BLOCK", "POP_EXCEPT", "END_ASYNC_FOR")}
    if not (setup_ops | pops).intersection(raw.ops):
        return protection
    walk = _Walk(raw, protection, setup_ops)
    walk.run()
    protection.covering = [-1 if entry is None else entry.catches for entry in walk.states]
    return protection


class _Walk:
    """The walk's state: the block stack before each instruction, where it is known."""

    def __init__(self, raw: Raw, protection: Protection, setup_ops: Set[int]) -> None:
        self.raw = raw
        self.protection = protection
        self.setup_ops = setup_ops
        self.states: List[Optional[Entry]] = [None] * len(raw.ops)
        self.work: List[Tuple[int, Entry]] = []

    def run(self) -> None:
        raw = self.raw
        number = raw.layout.number
        pop_block = number["POP_BLOCK"]
        leave_handler = {number["POP_EXCEPT"], number["END_ASYNC_FOR"]}
        jumps = {number["JUMP_FORWARD"], number["JUMP_ABSOLUTE"]}
        leaves = {number[name] for name in ("RETURN_VALUE", "RAISE_VARARGS", "RERAISE") if name in number}
        ops, targets, states = raw.ops, raw.targets, self.states
        self.work.append((0, Entry(None, -2, -1)))
        while self.work:
            index, entry = self.work.pop()
            while index < len(ops):
                known = states[index]
                if known is entry:
                    break
                if known is not None:
                    raise raw.error("two different block stacks meet", index)
                states[index] = entry
                op = ops[index]
                if op in self.setup_ops:
                    entry = self._set_up(index, entry)
                elif op == pop_block:
                    entry = self._pop(index, entry, entry.setup >= 0)
                elif op in leave_handler:
                    entry = self._pop(index, entry, entry.setup == -1)
                elif op in jumps:
                    index = targets[index]
                    continue
                elif op in leaves:
                    break
                elif index in targets:
                    self.work.append((targets[index], entry))
                index += 1

    def _set_up(self, index: int, entry: Entry) -> Entry:
        """Push a catching entry; its handler starts with one that does not catch in its place."""
        handlers = self.protection.handlers
        inner = entry.inside.get(index)
        if inner is None:
            self.protection.setups[index] = len(handlers)
            inner = Entry(entry, index, len(handlers))
            entry.inside[index] = inner
            target = self.raw.targets[index]
            handlers.append((target, -1, False))
            self.work.append((target, Entry(entry, -1, entry.catches)))
        return inner

    def _pop(self, index: int, entry: Entry, expected: bool) -> Entry:
        if entry.below is None or not expected:
            raise self.raw.error("the block stack has another entry on top than what is popped", index)
        return entry.below
