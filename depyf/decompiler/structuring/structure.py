"""Control-flow graph to tree, by dominators: what follows what, with labels where several ways lead to one place.

Vocabulary: a block's code is its own statements and its terminator; a jump to a block that is placed inline is
replaced by that block's code; other blocks follow, labelled, behind the block that `placement` chose. After each
label is placed, `labels` makes the jumps to it disappear. Functions that would recurse along the code are generators
which `run` steps, so that the depth of the code is not limited by the interpreter's stack.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Dict, Generator, List, Optional, Sequence, Tuple, Union

from depyf.bytecode.canonical import Block, Instruction
from depyf.bytecode.codes import is_function, leaves_managers_twice

from ..lifting.lift import LiftedBlock
from ..lifting.states import State
from ..lifting.temporaries import Temporaries
from ..lifting.values import Held, Joined
from ..prepare.cases import case_of
from ..prepare.clauses import falls_off, jumps_out
from ..prepare.placement import Placement, place
from ..prepare.regions import Regions
from ..prepare.star import in_star, star_handlers
from ..tree import Const, Expr, Return, Stmt, Try
from . import conditions, exits, labels, loops, tries
from .ends import settle_ends
from .falling import fall_off
from .jumps import End, ForNext, HeldHere, Jump, Label, TryRegion
from .labels import Followers
from .logic import negate
from .plain_endings import is_plain_ending, put_endings
from .short_endings import is_short_ending
from .walk import all_lists, in_front, labels_in

Code = List[Stmt]
Task = Generator[Any, Any, Code]


def run(task: Task) -> Code:
    """Runs a task that yields the tasks it depends on and is sent their results; what is no task is a result already."""
    stack = [task]
    result: Optional[Code] = None
    while True:
        try:
            child = stack[-1].send(result)
        except StopIteration as stop:
            stack.pop()
            done: Code = stop.value
            if not stack:
                return done
            result = done
        else:
            if isinstance(child, list):
                result = child
            else:
                stack.append(child)
                result = None


class Structurer:
    def __init__(
        self,
        regions: Regions,
        placement: Placement,
        lifted: Dict[Block, LiftedBlock],
        entries: Dict[Block, State],
        new_name: Temporaries,
        ends_last: bool = False,
    ) -> None:
        self.ends_last = ends_last  # whether what leads to the end of a body stands behind all else, wherever it was laid out
        self.regions = regions
        self.placement = placement
        self.lifted = lifted
        self.entries = entries
        self.new_name = new_name
        self.labels: Dict[Block, Label] = {}
        self.repeats = len(set(regions.opens.values())) < len(regions.opens)  # whether clauses stand behind several statements
        self.may_return = is_function(regions.graph.code)
        self.copies_tell = not regions.generated and not leaves_managers_twice()
        self.stars = star_handlers(regions.graph) if regions.opens else set()
        self.dropped: Dict[int, int] = {}  # see `exits.Followers`
        if regions.opens and not regions.generated:
            for block in regions.graph.blocks:
                before = block.instructions[-2:-1]
                if before and before[0].op == "POP" and before[0].line is not None:
                    self.dropped[block.terminator.offset] = before[0].line

    def label(self, block: Block) -> Label:
        found = self.labels.get(block)
        if found is None:
            found = self.labels[block] = Label(block, self.entries[block].stack)
        return found

    # ------------------------------------------------------------ sequences

    def sequence(self, block: Block) -> Task:
        """The code of `block` and of all that is placed behind it."""
        code, ending = self.own_code(block)
        if ending is not None:
            code = in_front(code, (yield ending))
            del ending  # what is done takes memory until all that follows is done, too
        placement = self.placement
        is_loop = block in placement.headers
        inside: Followers = []
        for one in placement.inside.get(block, ()) if is_loop else ():
            inside.append((self.label(one), (yield self.sequence(one))))
        after: Followers = []
        for one in placement.after.get(block, ()):
            after.append((self.label(one), (yield self.sequence(one))))
        if block in self.regions.opens:
            may_return = self.may_return and not in_star(self.stars, self.regions.context[block.index])
            written = self.regions.written.jumps
            followers = exits.Followers(inside + after, self.regions.lines, self.dropped, written, may_return, self.copies_tell)
            code = tries.close_try(code, followers, self.new_name, self.regions.cleanups)
        if inside:
            code = self.place_labels(code, inside)
        if is_loop or block.instructions[-1].op == "NEXT":  # the body of a `for` may always leave
            below = self.below_iterator(block)
            code = loops.close_loop(self.label(block), code, below, block.offset, self.new_name)
        code = self.place_labels(code, after) if after else code
        if block in self.regions.opens:
            fall_off(code)
        return code

    def own_code(self, block: Block) -> Tuple[Code, Union[Task, Code, None]]:
        """The statements of a block, and what stands behind them in its own place."""
        if self.repeats:
            lifted = self.lifted[block]
            return list(lifted.statements), self.ending(block, lifted)
        lifted = self.lifted.pop(block)  # nobody asks for it again
        return lifted.statements, self.ending(block, lifted)

    def below_iterator(self, block: Block) -> Optional[Expr]:
        """What lies under a loop's iterator: the container, if the loop is a comprehension."""
        if block.terminator.op != "NEXT":
            return None
        position = -1 - block.terminator.arg[0]
        stack = self.entries[block].stack
        return stack[position] if len(stack) >= -position else None

    def place_labels(self, code: Code, followers: Followers) -> Code:
        """Short endings come last: they may stand anywhere, and must not come between other code and its labels.

        One that was written where the only jump to it stands comes first: the way to it ends there, and the others meet
        behind, which is no `else`.
        """
        last = code[-1] if code else None
        in_try = labels_in(last.body) if isinstance(last, Try) else set()  # what stands behind may be its `else`
        star: Followers = []  # right behind the statement
        written: Followers = []
        others: Followers = []
        endings: Followers = []
        ends: Followers = []  # of a module or class body
        for label, behind in labels.bypass(code, followers):
            if label.leaves_star:
                star.append((label, behind))
            elif label.uses == 1 and label not in in_try and self.was_written(label, behind):
                written.append((label, behind))
            elif is_short_ending(behind, label) and isinstance(behind[0], Return):
                endings.append((label, behind))
            elif len(behind) == 1 and isinstance(behind[0], End):
                ends.append((label, behind))
            else:
                others.append((label, behind))
        if in_try:  # at once, before what follows the statement is there to be searched, too
            at_once = [one for one in endings if one[0] in in_try and is_plain_ending(code, *one)]
            put_endings(code, at_once)
            endings = [one for one in endings if one[0].uses]
        if written and others:  # the only jump to it may stand in one of those
            reached = labels_in(code)
            others += [one for one in written if one[0] not in reached]
            written = [one for one in written if one[0] in reached]
        if in_try and len(others) > 1:  # an `else` may be laid out behind what the clauses lead to
            jumps = Counter(s.label for body in all_lists(last.body) for s in body if isinstance(s, Jump))  # type: ignore[union-attr]
            others.sort(key=lambda other: jumps[other[0]] != other[0].uses)
        if self.ends_last:
            others.sort(key=lambda other: isinstance(other[1][-1], End))
        return self.place_in_order(code, star + written + others + endings + ends)

    def place_in_order(self, code: Code, followers: Followers) -> Code:
        """Each label behind what comes before it; endings in a row that need no place of their own, at once."""
        plain: Followers = []
        for label, behind in followers:
            if not label.uses:
                continue
            if is_plain_ending(code, label, behind):
                plain.append((label, behind))
                continue
            put_endings(code, plain)
            plain = []
            code = labels.place(code, label, behind, self.parameters(label.block), self.new_name)
        put_endings(code, plain)
        return code

    def was_written(self, label: Label, code: Code) -> bool:
        """Whether a jump or `return` was written where it is reached: it has a line of its own, or leaves a handler."""
        ending = code[0] if is_short_ending(code, label) else None
        if isinstance(ending, Jump):
            return ending.is_continue()
        if not isinstance(ending, Return):
            return False
        if isinstance(ending.value, Const) and ending.value.value is None:
            return self.regions.lines.get(ending.offset) in self.regions.written.returns
        return any(before in self.regions.leaves for before in label.block.predecessors)

    def parameters(self, block: Block) -> List[Joined]:
        state = self.entries.get(block)
        if state is None:
            return []
        return [v for v in state.stack if isinstance(v, Joined) and v.block is block]

    # ------------------------------------------------------------ one block

    def ending(self, block: Block, lifted: LiftedBlock) -> Union[Task, Code, None]:
        """What stands behind the statements of a block, in its own place: the code that its terminator leads to."""
        terminator = block.instructions[-1]
        if terminator.op == "BRANCH" and lifted.test is not None:
            return self.branch(block, lifted, terminator)
        if terminator.op == "NEXT":
            return self.next_item(block, lifted, terminator)
        if block in self.regions.opens:
            return self.try_region(block)
        if terminator.op in ("FALL", "JUMP", "BRANCH"):  # a branch that decides nothing has no test here
            return self.edge(block, 0, lifted, lifted.held)
        return None

    def edge(self, block: Block, position: int, lifted: LiftedBlock, held: Sequence[Held]) -> Union[Task, Code]:
        """What happens on the way to a successor: its code, or a jump to it. `held` are the values that wait here."""
        target = block.successors[position]
        back = self.placement.dominators.dominates(target, block)
        if self.placement.inline[target.index] and not back:
            return self.behind_held(target, held) if held else self.sequence(target)
        label = self.label(target)
        label.uses += 1
        jump = Jump(label, lifted.exits[position].stack, held, block.terminator.offset, self.line_of_jump(block, position))
        jump.back = back
        if not self.regions.leaves:
            return [jump]  # no clause ends anywhere
        if jumps_out(block, self.regions) or self.new_name.seen and jumps_out(target, self.regions):
            jump.certain, jump.stays = True, self.new_name.seen
            jump.line = block.terminator.line
        elif falls_off(block, self.regions):
            jump.falls = label.fallen_to = True
            jump.line = None
        return [jump]

    def behind_held(self, block: Block, held: Sequence[Held]) -> Task:
        code: Code = yield self.sequence(block)
        if any(h.crossed for h in held):
            code.insert(0, HeldHere(held))
        return code

    def line_of_jump(self, block: Block, position: int) -> Optional[int]:
        """The line of a jump that was written as a statement of its own."""
        target = block.successors[position]
        if target in self.placement.broken_to:
            return self.regions.way_lines.get((block.terminator.offset, position), block.terminator.line)
        line = self.regions.jump_lines.get((block, target))
        if line is None and block.terminator.op == "JUMP":
            line = block.terminator.line
        if line is None or line not in self.regions.written.jumps:
            return None
        begins = target.instructions[0].line
        if target in self.placement.headers and begins is not None and line < begins:
            return None  # the end of the body of `while True`, which has the line of the `while`
        return line

    def branch(self, block: Block, lifted: LiftedBlock, terminator: Instruction) -> Task:
        """The fall-through is what stands first in the source, so it is the body of the `if`."""
        assert lifted.test is not None
        test: Expr = lifted.test
        first, second = (1, 0) if terminator.arg else (0, 1)
        if _asserts(block.successors[second], terminator) and block.successors[first].instructions[0].line != terminator.line:
            first, second = second, first  # of `assert a and 1`, the rest falls through
        elif not conditions.only_for_statements(test) and _jumps_over(block, block.successors[first], block.successors[second]):
            first, second = second, first  # of `b if a or None else c`, a jump to `c` falls through
        elif case_of(test) is None and self.comes_later(block, block.successors[first], block.successors[second]):
            first, second = second, first  # of `if a: pass; else: return b`, what follows the `if`
        if first:
            test = negate(test)
        body = yield self.edge(block, first, lifted, [])
        orelse = yield self.edge(block, second, lifted, [])
        held = [*self.waiting_here(block, lifted), *lifted.held]  # in the order of evaluation
        return conditions.make_if(test, body, orelse, held, terminator.offset, terminator.line)

    def comes_later(self, block: Block, fallen_to: Block, jumped_to: Block) -> bool:
        """Whether a jump that is no longer there led from the one way to what only it leads to, past all that the other leads to."""
        if (block, fallen_to) not in self.regions.jump_lines or block.terminator.line == fallen_to.instructions[0].line:
            return False
        return bool(self.placement.inline[fallen_to.index]) and block.offset < jumped_to.offset < fallen_to.offset

    def waiting_here(self, block: Block, lifted: LiftedBlock) -> List[Expr]:
        """Values of earlier blocks that still wait. Those of another context are kept where they were computed."""
        context = self.regions.context[block.index]
        found: List[Expr] = []
        for value in lifted.waiting:
            if any(value is h for h in lifted.held):
                continue
            if isinstance(value, Held) and self.regions.context[value.block.index] is not context:
                value.crossed = True
            else:
                found.append(value)
        return found

    def next_item(self, block: Block, lifted: LiftedBlock, terminator: Instruction) -> Task:
        assert lifted.loop is not None
        iterator, item = lifted.loop
        body = yield self.edge(block, 0, lifted, [])
        exhausted = yield self.edge(block, 1, lifted, [])
        return [ForNext(iterator, item, body, exhausted, terminator.offset)]

    def try_region(self, block: Block) -> Task:
        handler = self.regions.opens[block]
        body = yield self.sequence(block.successors[0])
        catch: List[Stmt] = []
        if handler.target in self.lifted:
            catch = yield self.sequence(handler.target)
        return [TryRegion(handler, body, catch, block.offset)]


def _jumps_over(block: Block, fallen_to: Block, jumped_to: Block) -> bool:
    """Whether what falls through jumps over what the branch jumps to, in one expression: on one line."""
    if not block.offset < jumped_to.offset < fallen_to.offset:
        return False
    lines = {one.instructions[0].line for one in (fallen_to, jumped_to)}
    return lines == {block.terminator.line} != {None}


def _asserts(block: Block, terminator: Instruction) -> bool:
    """Whether a block raises for an `assert` on the line of the test before it."""
    begins = block.instructions[0]
    return begins.op == "BUILTIN" and begins.arg == "AssertionError" and begins.line == terminator.line is not None


def structure(
    regions: Regions,
    lifted: Dict[Block, LiftedBlock],
    entries: Dict[Block, State],
    placement: Placement,
    new_name: Temporaries,
    ends_last: bool = False,
) -> List[Stmt]:
    """The tree of a prepared and lifted graph, with every label placed."""
    first = regions.graph.blocks[0]
    if not first.successors and not regions.opens:
        code = lifted[first].statements  # straight lines, as half of all functions are
    else:
        code = run(Structurer(regions, placement, lifted, entries, new_name, ends_last).sequence(first))
    if not is_function(regions.graph.code):
        settle_ends(code)
    return code


__all__ = ["Structurer", "place", "structure", "run"]
