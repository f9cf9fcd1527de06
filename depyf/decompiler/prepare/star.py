"""except*: rewrites its handler in the graph to that of plain `except` clauses, marked as starred.

The compiler lets each clause take its part of the exception group and go on to the next test, collects what clauses
raise in a list, and raises all of it in the end. Nothing of that is written down in the source: tests, names and bodies
of the clauses are. Clauses of except* cannot be left by return, break or continue, so each ends in one place. That place
is also reached when nothing is left to raise, whatever the clauses do: a clause that nobody wrote stands for that way.
LEAVE_STAR marks the place: all that leads there falls off the end of the statement, and what follows stands right behind it.
"""

from __future__ import annotations

from typing import Callable, Dict, List, NamedTuple, Optional, Set, Tuple

from depyf.bytecode.canonical import Block, Graph, Handler, Instruction

from .contexts import Context
from .ways import Place

STAR = "star"
NOTHING_LEFT = "nothing left"
Split = Callable[[Graph, Block, int], Block]

_STARTS = (["PUSH_EXC", "COPY", "BUILD_LIST", "SWAP"], ["PUSH_EXC", "BUILD_LIST", "COPY"])
_TEST = ["EG_MATCH", "COPY", "CONST", "IS", "BRANCH"]
_BESIDES = frozenset(("LIST_APPEND", "JUMP", "FALL"))
_SLOTS = 3  # of the original exception, the list and the rest, which plain clauses do not keep on the stack


class _Test(NamedTuple):
    """The test of a clause at the end of `block`: where it goes on a match, and where the next test begins."""

    block: Block
    match: Block
    after: Place


class End:
    """The argument of LEAVE_STAR: which statement is left. One is as good as another where copies are compared."""

    __slots__ = ("handler",)

    def __init__(self, handler: Handler) -> None:
        self.handler = handler

    def __eq__(self, other: object) -> bool:
        return isinstance(other, End)

    def __hash__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return "End"


def make_plain_clauses(graph: Graph, split: Split) -> bool:
    """Rewrites every except*. Returns whether there was any."""
    found = False
    for handler in sorted(graph.handlers, key=lambda one: -one.depth):  # the innermost first
        start = handler.target
        length = _start_length(start)
        if length and _Rewriter(graph, handler, split).run(length):
            found = True
    return found


def star_handlers(graph: Graph) -> Set[Handler]:
    """The handlers that are those of except*, by the places where these are left."""
    firsts = (block.instructions[0] for block in graph.blocks)
    return {first.arg.handler for first in firsts if first.op == "LEAVE_STAR"}


def in_star(stars: Set[Handler], context: Optional[Context]) -> bool:
    """Whether a context is in a clause of an except*, given the handlers of all."""
    while stars and context is not None:
        if context.kind == "handler" and context.handler in stars:
            return True
        context = context.parent
    return False


def _start_length(block: Block) -> int:
    ops = [i.op for i in block.instructions[:4]]
    for shape in _STARTS:
        if ops[: len(shape)] == shape and block.instructions[shape.index("BUILD_LIST")].arg == 0:
            return len(shape)
    return 0


class _Rewriter:
    def __init__(self, graph: Graph, handler: Handler, split: Split) -> None:
        self.graph = graph
        self.handler = handler
        self.split = split
        self.cleanup = handler.target.handler  # restores the exception state and goes on raising
        self.outside = self.cleanup.target.handler if self.cleanup is not None else None
        self.shifted: Set[Handler] = set()

    def run(self, start_length: int) -> bool:
        tests = self.find_tests()
        end = self.find_end(tests[-1].after) if tests else None
        if end is None:
            return False
        start = self.handler.target
        for test in tests:
            self.rewrite_clause(test, end)
        for test, following in zip(tests, [*tests[1:], None]):
            self.rewrite_test(test, end if following is None else None)
        start.instructions[1:start_length] = []
        return True

    # ------------------------------------------------------------ what is there

    def find_tests(self) -> List[_Test]:
        tests: List[_Test] = []
        block: Optional[Block] = self.handler.target
        while block is not None:
            block = self.block_of_test(block)
            if block is None:
                return []
            match, other = block.successors[::-1]
            if block.instructions[-2].arg:
                match, other = other, match
            after = skip((other, 0), _BESIDES | {"POP"})
            tests.append(_Test(block, match, after))
            if after[0].instructions[after[1]].op == "PREP_RERAISE_STAR":
                return tests
            block = after[0] if after[1] == 0 else None
        return []

    def block_of_test(self, block: Block) -> Optional[Block]:
        """The block that ends in EG_MATCH and a test for None, from the one where the clause's type begins."""
        work, seen = [block], {block}
        while work:
            block = work.pop()
            if [i.op for i in block.instructions[-5:]] == _TEST:
                return block
            for target in block.successors:
                if target not in seen and len(seen) < 100:
                    seen.add(target)
                    work.append(target)
        return None

    def find_end(self, place: Place) -> Optional[Block]:
        """What follows the whole statement when nothing is left to raise."""
        block = place[0]
        if block.terminator.op != "BRANCH":
            return None
        done, other = block.successors
        if block.instructions[-2].arg:
            done = other
        left = skip((done, 0), frozenset(("POP", "JUMP", "FALL")))
        if left[0].instructions[left[1]].op != "POP_EXCEPT":
            return None
        end = self.split(self.graph, left[0], left[1] + 1)
        first = end.instructions[0]
        end.instructions.insert(0, Instruction("LEAVE_STAR", End(self.handler), first.offset, first.line))
        return end

    # ------------------------------------------------------------ what it becomes

    def rewrite_test(self, test: _Test, end: Optional[Block]) -> None:
        """`end` is where the statement ends, if this is its last test."""
        block = test.block
        first = block.instructions[-5]
        other = test.after[0] if end is None else self.last_way(first, end)
        block.instructions[-5:] = [
            Instruction("COPY", 2, first.offset, first.line),
            Instruction("SWAP", 2, first.offset, first.line),
            Instruction("EXC_MATCH", STAR, first.offset, first.line),
            Instruction("BRANCH", False, first.offset, first.line),
        ]
        self.retarget(block, (test.match, other))

    def last_way(self, at: Instruction, end: Block) -> Block:
        """Behind the last test: nothing is left to raise, or it is raised again."""

        def made(op: str, arg: object = None) -> Instruction:
            return Instruction(op, arg, at.offset, at.line)

        again = self.new_block([made("RERAISE", (1, False))], self.cleanup, ())
        left = self.new_block([made("POP"), made("POP_EXCEPT", 1), made("JUMP")], self.outside, (end,))
        test = [made("COPY", 1), made("CONST"), made("EXC_MATCH", NOTHING_LEFT), made("BRANCH", False)]
        return self.new_block(test, self.cleanup, (left, again))

    def rewrite_clause(self, test: _Test, end: Block) -> None:
        named = test.match.instructions[0].op != "POP"
        exits: List[Tuple[Block, Block]] = []
        for block in self.clause_blocks(test, exits):
            self.rewrite_handler(block, named)
            block.depth -= _SLOTS
        shared: Dict[Block, Block] = {}  # ways that met behind the clause meet where it is left
        for block, target in exits:
            last = block.terminator
            if len(block.instructions) > 1 and block.instructions[-2].op == "LIST_APPEND":
                del block.instructions[-2]  # the rest of the group, behind the last clause
            leave = Instruction("POP_EXCEPT", 1, last.offset, last.line)
            if named and _deletes_name(block):
                if len(block.instructions) > 4:
                    block = self.split(self.graph, block, len(block.instructions) - 4)
                leave.offset = block.offset
                block.instructions.insert(0, leave)  # the name is deleted behind it
                block.handler = self.outside
                self.retarget(block, (end,))
                continue
            met = _past_own_jump(last, target)
            left = shared.get(met)
            if left is None:
                leave.line = met.instructions[0].line  # none, unless the compiler repeated it behind something
                jump = Instruction("JUMP", None, last.offset, leave.line)
                left = shared[met] = self.new_block([leave, jump], self.outside, (end,))
            self.retarget(block, tuple(left if s is target else s for s in block.successors))

    def clause_blocks(self, test: _Test, exits: List[Tuple[Block, Block]]) -> List[Block]:
        """The blocks of a clause; `exits` gets the edges on which it ends."""
        found, seen, work = [], {test.match}, [test.match]
        while work:
            block = work.pop()
            found.append(block)
            targets = []
            for target in dict.fromkeys(block.successors):
                if skip((target, 0), _BESIDES) == test.after:
                    exits.append((block, target))
                else:
                    targets.append(target)
            handler = block.handler
            if handler is not None and handler is not self.cleanup and not _collects(handler.target):
                targets.append(handler.target)
            for target in targets:
                if target not in seen:
                    seen.add(target)
                    work.append(target)
        return found

    def rewrite_handler(self, block: Block, named: bool) -> None:
        handler = block.handler
        if handler is None or handler is self.cleanup:
            return
        target = handler.target
        if _collects(target) and not named:
            block.handler = self.cleanup
            return
        if handler in self.shifted:
            return
        self.shifted.add(handler)
        handler.depth -= _SLOTS
        if _collects(target):
            position = next(n for n, i in enumerate(target.instructions) if i.op == "LIST_APPEND")
            append = target.instructions[position]
            target.instructions[position:] = [Instruction("RERAISE", (1, True), append.offset, append.line)]
            self.retarget(target, ())

    # ------------------------------------------------------------ the graph

    def new_block(self, instructions: List[Instruction], handler: Optional[Handler], to: Tuple[Block, ...]) -> Block:
        made = Block(len(self.graph.blocks))
        made.instructions = instructions
        made.handler = handler
        made.depth = self.handler.depth + self.handler.lasti + 2  # the exception, and the one that was handled before
        self.graph.blocks.append(made)
        self.retarget(made, to)
        return made

    def retarget(self, block: Block, to: Tuple[Block, ...]) -> None:
        for old in dict.fromkeys(block.successors):
            old.predecessors = [p for p in old.predecessors if p is not block]
        block.successors = to
        for new in to:
            new.predecessors.append(block)


def skip(place: Place, ops: frozenset[str]) -> Place:
    """The first instruction from `place` on that is none of `ops`; jumps among them are followed."""
    block, position = place
    for _ in range(1000):
        op = block.instructions[position].op
        if op not in ops:
            break
        if op in ("JUMP", "FALL"):
            block, position = block.successors[0], 0
        else:
            position += 1
    return block, position


def _past_own_jump(last: Instruction, target: Block) -> Block:
    """Where a jump leads that is a part of the test before it: a chain of comparisons that ends a loop jumps over where it fails."""
    first = target.instructions[0]
    own = first.op == "JUMP" and first.line == last.line is not None and len(target.predecessors) == 1
    return target.successors[0] if own and last.op == "BRANCH" else target


def _deletes_name(block: Block) -> bool:
    """name = None; del name; and on to the next clause."""
    ops = [i.op.partition("_")[0] for i in block.instructions[-4:-1]]
    return ops == ["CONST", "STORE", "DELETE"] and block.instructions[-4].arg is None


def _collects(block: Block) -> bool:
    """Whether this handler adds what a clause raised to the list, and goes on."""
    return any(i.op == "LIST_APPEND" and i.arg == 3 for i in block.instructions) and len(block.successors) == 1
