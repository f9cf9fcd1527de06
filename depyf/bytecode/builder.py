"""Builds basic blocks while raw instructions are lowered one after the other, in bytecode order.

Lowering functions call `emit`, `end` and `branch`; when a block ends and where control goes is kept here. Blocks
are linked when all of them exist; what cannot be reached is sorted out by `cfg`.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Set, Tuple

from depyf.bytecode.canonical import Block, Handler, Instruction
from depyf.bytecode.ranges import Protection
from depyf.bytecode.raw import Raw

# what the interpreter leaves as an exact bool, so that a jump on it tests nothing
_EXACT_BOOL = frozenset(("TRUTH", "IS", "CONTAINS", "NOT", "EXC_MATCH", "MATCH_MAPPING", "MATCH_SEQUENCE"))


class Builder:
    """The state of lowering one code object. `pools` are the tables that arguments index: constants and names."""

    def __init__(self, raw: Raw, protection: Protection, pools: Dict[str, Tuple[Any, ...]]) -> None:
        self.raw = raw
        self.pools = pools
        self.protection = protection
        self.blocks: List[Block] = []
        self.block_at: Dict[int, Block] = {}
        self.handler_at: Dict[int, Block] = {}  # where a handler's start is not simply the block there
        # successors by raw index; None: the block that is made next
        self.pending: List[Tuple[Block, Tuple[Optional[int], ...]]] = []
        self.handler_of: List[int] = []  # by block
        self.folded: List[int] = []  # offsets of raw instructions that became part of another, or nothing
        self.absorbed: Set[int] = set()  # offsets that are folded if nothing reaches them after all
        self.unsupported: Dict[int, str] = {}  # offset -> what is wrong, if it is reached
        # block -> (handler, how far its depth lies below the block's) for each that is set up just before the block
        self.setups: Dict[int, List[Tuple[int, int]]] = {}
        # where handlers start with EXC_ENTER: versions with a block stack
        self.handler_starts = {target for target, _, _ in protection.handlers} if protection.setups else set()
        self.sends: Dict[int, Optional[int]] = {}  # SENDs whose loops are folded -> depth their cleanup expects
        self.enters: Dict[int, str] = {}  # index of a with statement's CALL -> the canonical op for all of it
        self.leaks = False  # a generator without the handler that turns StopIteration into RuntimeError
        self.loop_exits: Dict[int, bool] = {}  # index of FOR_ITER -> whether leaving pops the iterator
        self.keywords = False  # KW_NAMES was seen, its CALL not yet
        self.open = False
        self.instructions: List[Instruction] = []

    def begin(self, index: int) -> None:
        """Another block starts at this raw instruction."""
        if self.keywords:
            raise self.raw.error("keyword names are not followed by their call", index)
        if index in self.handler_starts:
            self._begin_handler(index)
        if self.open and not self.instructions:
            self.block_at[index] = self.blocks[-1]
            return
        self.fall()
        self.open_block(index)
        self.block_at[index] = self.blocks[-1]

    def _begin_handler(self, index: int) -> None:
        """EXC_ENTER stands in a block of its own, for the handler's first instruction may be a loop's header too."""
        covering = self.protection.covering
        assert covering is not None
        if self.open:
            # what runs into the handler's first instruction does so behind EXC_ENTER
            last = self.instructions[-1] if self.instructions else None
            self.end("JUMP", None, index, (index,))
            if last is not None:
                self.instructions[-1].offset, self.instructions[-1].line = last.offset, last.line
        self.open_block(index)
        self.handler_of[-1] = covering[index]
        self.handler_at[index] = self.blocks[-1]
        self.emit("EXC_ENTER", None, index)

    def open_block(self, index: int) -> None:
        block = Block(len(self.blocks))
        if self.raw.copies:
            block.copy = self.raw.copies[index]
        self.blocks.append(block)
        self.handler_of.append(-1)
        self.instructions = block.instructions
        self.open = True

    def cover(self, handler: int, index: int, quiet: bool) -> None:
        """The next instruction is covered by `handler`: go on in this block if it is too, or if it cannot raise."""
        if not self.open:
            self.open_block(index)
            self.handler_of[-1] = handler
        elif not self.instructions:
            self.handler_of[-1] = handler
        elif self.handler_of[-1] != handler and not quiet:
            self.begin(index)
            self.handler_of[-1] = handler

    def set_up(self, index: int, below: int) -> None:
        """A handler is set up by this instruction; its depth is `below` slots under that of the block after it."""
        if index not in self.protection.setups:
            return  # the block stack's walk has not come here
        if self.open and self.instructions:
            self.fall()
        if not self.open:
            self.open_block(index)
        self.setups.setdefault(len(self.blocks) - 1, []).append((self.protection.setups[index], below))

    def emit(self, op: str, arg: Any, index: int) -> None:
        if not self.open:
            self.open_block(index)
        raw = self.raw
        self.instructions.append(Instruction(op, arg, raw.offsets[index], raw.lines[index]))

    def end(self, op: str, arg: Any, index: int, successors: Tuple[Optional[int], ...] = ()) -> None:
        """Emit a terminator. A successor None is what control goes on to from this instruction."""
        self.emit(op, arg, index)
        self.open = False
        if index in self.raw.nexts:
            following = self.raw.nexts[index]
            successors = tuple([following if successor is None else successor for successor in successors])
        self.pending.append((self.blocks[-1], successors))

    def go_on(self, index: int) -> None:
        """After an instruction that control does not leave to the next one: jump to where it does."""
        if not self.open and self.pending and None in self.pending[-1][1]:
            self.open_block(index)  # right behind a branch, and nothing else was left of what stands here
        if self.open:
            self.end("JUMP", None, index, (None,))

    def fall(self) -> None:
        """Close the open block, if there is one: control goes on to the next."""
        if self.open:
            last = self.instructions[-1]
            self.instructions.append(Instruction("FALL", None, last.offset, last.line))
            self.open = False
            self.pending.append((self.blocks[-1], (None,)))

    def branch(self, index: int, jump_if: bool) -> None:
        """Emit BRANCH: the jump is taken when the top is `jump_if`."""
        target = self.raw.targets[index]
        self.end("BRANCH", jump_if, index, (target, None) if jump_if else (None, target))

    def branch_here(self, index: int, jump_if: bool) -> None:
        """The same, but what is not the jump goes on with more instructions of this index."""
        target = self.raw.targets[index]
        self.emit("BRANCH", jump_if, index)
        self.open = False
        self.pending.append((self.blocks[-1], (target, None) if jump_if else (None, target)))
        if self.protection.covering is not None:
            self.cover(self.protection.covering[index], index, False)

    def branch_away(self, index: int) -> None:
        """Emit BRANCH: when true, more instructions of this index follow; when false, control goes on."""
        self.emit("BRANCH", True, index)
        self.open = False
        self.pending.append((self.blocks[-1], (None, self.raw.nexts[index])))
        if self.protection.covering is not None:
            self.cover(self.protection.covering[index], index, False)

    def test(self, index: int) -> None:
        """Emit TRUTH, unless the top is an exact bool anyway."""
        if not (self.open and self.instructions and self.instructions[-1].op in _EXACT_BOOL):
            self.emit("TRUTH", None, index)

    def look(self, pool: str, position: int, index: int) -> Any:
        """An entry of a pool; the position comes out of the bytecode, so it may be anything."""
        values = self.pools[pool]
        if position >= len(values):
            raise self.raw.error(f"argument {position} is past the end of the {pool}", index)
        return values[position]

    def refuse(self, what: str, index: int) -> None:
        """An instruction that is an error wherever it can be reached."""
        self.unsupported[self.raw.offsets[index]] = what
        self.end("RAISE", 0, index)

    def finish(self) -> None:
        """Close the last block and link all of them. A successor past the end is left out: `cfg` refuses it."""
        if self.open and not self.instructions:
            self.emit("FALL", None, len(self.raw.ops) - 1)
            self.pending.append((self.blocks[-1], (None,)))
        else:
            self.fall()
        blocks, block_at = self.blocks, self.block_at
        for block, successors in self.pending:
            found = []
            for successor in successors:
                if successor is not None:
                    found.append(block_at[successor])
                elif block.index + 1 < len(blocks):
                    found.append(blocks[block.index + 1])
            block.successors = tuple(found)

    def forget_layout(self) -> None:
        """All blocks are linked: what stood where, instruction by instruction, is asked for no more, and takes much memory."""
        self.pending, self.block_at, self.handler_at = [], {}, {}
        raw = self.raw
        raw.ops, raw.args, raw.lines, raw.targets = [], [], [], {}
        self.protection.covering = None

    def make_handlers(self) -> List[Handler]:
        """Handlers of the protection, attached to the blocks they cover."""
        handlers = [
            Handler(self.handler_at.get(target) or self.block_at[target], depth, lasti, index)
            for index, (target, depth, lasti) in enumerate(self.protection.handlers)
        ]
        for block, number in zip(self.blocks, self.handler_of):
            if number >= 0:
                block.handler = handlers[number]
        return handlers
