"""Makes labels disappear: a jump to what stands right behind it is no jump.

`place` puts labelled code behind other code. In order of preference: the code takes the place of the only jump to it;
jumps at the end of what stands before it are dropped; jumps out of a loop become `break`, an `else` of a loop or of a
try takes what they skip; what they skip is nested under the other arm of an `if`; a short ending is repeated; and
what is left goes through a flag.
"""

from __future__ import annotations

import copy
from typing import Callable, List, Optional, Sequence, Tuple

from ..lifting.temporaries import Temporaries
from ..lifting.values import Held, Joined, Marker
from ..prepare.starred import as_star_else, place_behind_star
from ..tree import (
    Break,
    Expr,
    For,
    Raise,
    Return,
    Stmt,
    Try,
    While,
)
from .conditions import remake
from .flags import as_else_of_block, use_flag
from .jumps import Branch, End, Jump, Label, TryRegion
from .merged_loops import merge_loops
from .nested_breaks import break_to_jumps, end_inside, leave_before_end, leave_by_else, leave_inner_loops, put_in_place
from .parameters import assign_parameters, set_parameters
from .short_endings import builds_display, drops_value, feeds_display, is_behind_try, is_short_ending, slot_of
from .walk import LOOPS, all_lists, arms_at_end, falls_through, in_front, jumps_to, keep_held, replace_jumps


def place(
    code: List[Stmt],
    label: Label,
    behind: List[Stmt],
    parameters: List[Joined],
    new_name: Temporaries,
) -> List[Stmt]:
    """`code`, then `behind`, which begins at `label`."""
    if label.uses == 0:
        return code
    if label.leaves_star and place_behind_star(code, label, behind, new_name, place):
        return code
    if label.uses == 1:
        result = _substitute(code, label, behind, parameters, new_name)
        if result is not None:
            return result
    if parameters:
        assign_parameters(code, label, parameters, new_name)
    if _as_else(code, label, behind) or as_star_else(code, label, behind, new_name, place):
        return code
    if _may_repeat(code, label, behind) and other_jumps_at_end(code, label) and not falls_through(code):
        repeat_ending(code, label, behind)
        return code
    drop_tail(code, label)
    if label.uses:
        as_loop_else(code, label)
    if label.uses and _may_repeat(code, label, behind):
        repeat_ending(code, label, behind)
    if label.uses:
        nest(code, label)
    if label.uses and len(behind) == 1 and isinstance(behind[0], End):
        repeat_ending(code, label, behind)
        if not falls_through(code):
            return code  # nothing else leads there
    if label.uses and not falls_through(code) and put_in_place(code, label, behind):
        return code
    if label.uses and new_name.seen and as_else_of_block(code, label, behind):
        return code
    if label.uses:
        leave_by_else(code, label)
        as_loop_else(code, label)  # out of an inner loop, a jump may lead past what follows the outer one
        end_inside(code, label)
        drop_tail(code, label)
    if label.uses and leave_before_end(code, label):
        drop_tail(code, label)
        nest(code, label)
    if label.uses:
        merge_loops(code, label)
        drop_tail(code, label)
    if label.uses:
        use_flag(code, label, new_name)
    return in_front(code, behind)


Followers = List[Tuple[Label, List[Stmt]]]


def bypass(code: List[Stmt], followers: Followers) -> Followers:
    """A label whose code only jumps on: jumps to it go there at once."""
    kept: Followers = []
    followers = [(label, behind) for label, behind in followers if label.uses]  # what nothing reaches any more jumps nowhere
    for label, behind in followers:
        onward = behind[0] if len(behind) == 1 else None
        if not isinstance(onward, Jump) or label.leaves_star or label.uses < 2 or is_behind_try(onward, label):
            kept.append((label, behind))
            continue
        if not _only_forwards(onward, label):
            kept.append((label, behind))
            continue
        onward.label.uses -= 1
        hand_on(label, onward.label)
        behind.clear()  # nobody gets there any more, so what stood there is no jump to the next one either
        for current in [code, *[other for _, other in followers]]:
            replace_jumps(current, label, _redirection(onward), into_loops=True)
    if len(kept) < len(followers):
        remake_arms(code)
    return kept


def hand_on(label: Label, onward: Label) -> None:
    """What one label takes, and another is reached with by way of it alone, the other takes."""
    for slot, value in enumerate(onward.entry):
        if isinstance(value, Joined) and value.block is label.block:
            value.block, value.slot = onward.block, slot


def _only_forwards(onward: Jump, label: Label) -> bool:
    """Whether a jump takes with it only what was there when its label was reached, and all of that."""
    if onward.held or onward.label is label or feeds_display(label, onward.stack) or drops_value(label, onward.stack):
        return False
    return all(_was_taken_along(v, label) for v in onward.stack)


def _was_taken_along(value: Expr, label: Label) -> bool:
    if isinstance(value, Held):  # what is not there was evaluated behind the label: a display around a choice
        return value.crossed or value.name is not None or any(value is one for one in label.entry)
    return isinstance(value, Marker) or isinstance(value, Joined) and value.block is label.block


def remake_arms(code: List[Stmt]) -> None:
    """Builds the ifs at the end of `code` again, innermost first: their arms have changed."""
    found: List[List[Stmt]] = []
    work = [code]
    while work:
        current = work.pop()
        last = current[-1] if current else None
        if isinstance(last, Branch):
            found.append(current)
            work.extend((last.body, last.orelse))
    for current in reversed(found):
        branch = current.pop()
        assert isinstance(branch, Branch)
        current.extend(remake(branch))


def _redirection(onward: Jump) -> Callable[[Jump], List[Stmt]]:
    return lambda jump: _redirected(jump, onward)


def _redirected(jump: Jump, onward: Jump) -> List[Stmt]:
    return [_past_label(jump, onward, jump.held)]


def _past_label(jump: Jump, onward: Jump, held: Sequence[Held]) -> Jump:
    """One jump for a jump to a label and the one that stands there."""
    onward.label.uses += 1
    stack = _taken_along(onward.stack, jump)
    made = Jump(onward.label, stack, held, jump.offset, jump.line or onward.line, onward)
    made.certain, made.falls = jump.certain or onward.certain, jump.falls or onward.falls
    made.stays = jump.stays or onward.stays
    if made.falls:
        made.line = None  # that of a `pass` before the end of the clause
    return made


def _taken_along(stack: List[Expr], jump: Jump) -> List[Expr]:
    """The stack of a jump that stands at `jump`'s label, as it is when coming from `jump`."""
    came = {id(v): slot for slot, v in enumerate(jump.label.entry) if isinstance(v, Joined)}
    return [jump.stack[came[id(v)]] if id(v) in came else v for v in stack]


# ---------------------------------------------------------------- one jump


def _substitute(
    code: List[Stmt],
    label: Label,
    behind: List[Stmt],
    parameters: List[Joined],
    new_name: Temporaries,
) -> Optional[List[Stmt]]:
    """Puts `behind` in the place of the only jump, if that stands at the end of nested ifs."""
    path: List[List[Stmt]] = []
    current = code
    while True:
        if not current:
            return None
        last = current[-1]
        if isinstance(last, Jump) and last.label is label:
            break
        if not isinstance(last, Branch):
            return _substitute_ending(code, label, behind)
        path.append(current)
        if jumps_at_end(last.body, label):
            current = last.body
        elif jumps_at_end(last.orelse, label):
            current = last.orelse
        else:
            return _substitute_ending(code, label, behind)
    jump = current.pop()
    assert isinstance(jump, Jump)
    label.uses -= 1
    current.extend(keep_held(jump))
    current.extend(set_parameters(jump, parameters, new_name))
    if not path:
        return in_front(current, behind)
    current.extend(behind)
    for outer in reversed(path):
        branch = outer.pop()
        assert isinstance(branch, Branch)
        outer.extend(remake(branch))
    return code


def jumps_at_end(code: List[Stmt], label: Label) -> bool:
    work = [code]
    while work:
        current = work.pop()
        last = current[-1] if current else None
        if isinstance(last, Jump) and last.label is label:
            return True
        if isinstance(last, Branch):
            work.extend((last.orelse, last.body))
    return False


def _substitute_ending(code: List[Stmt], label: Label, behind: List[Stmt]) -> Optional[List[Stmt]]:
    """A short ending may also take the place of a jump inside a try or a loop."""
    if _is_built_after_cleanup(code, label, behind):
        return None
    if is_short_ending(behind, label):
        repeat_ending(code, label, behind)
        return code
    ends = len(behind) == 1 and isinstance(behind[0], (Raise, Return)) and not isinstance(behind[0], End)
    if ends and not label.leaves_star and not label.entry_parameters():
        return _substitute_in_loops(code, label, behind)
    return None


def _may_repeat(code: List[Stmt], label: Label, behind: List[Stmt]) -> bool:
    return is_short_ending(behind, label) and not _is_built_after_cleanup(code, label, behind)


def _is_built_after_cleanup(code: List[Stmt], label: Label, behind: List[Stmt]) -> bool:
    """Whether a display is returned behind a `finally`: inside of the try it would be built before that."""
    last = code[-1] if code else None
    return isinstance(last, Try) and bool(last.finalbody and behind) and builds_display(behind[0], label)


def _substitute_in_loops(code: List[Stmt], label: Label, behind: List[Stmt]) -> Optional[List[Stmt]]:
    """A raise or return that only one jump reaches, from inside loops and ifs but from no try or with."""
    work = [code]
    while work:
        current = work.pop()
        for index, statement in enumerate(current):
            if isinstance(statement, Jump) and statement.label is label:
                if statement.line is not None:
                    return None  # a `break` that was written
                label.uses -= 1
                current[index : index + 1] = [*keep_held(statement), *behind]
                return code
            if isinstance(statement, (Branch, While, For)):
                work.extend((statement.body, statement.orelse))
    return None


def other_jumps_at_end(code: List[Stmt], label: Label) -> bool:
    """Whether a way through `code` ends in a jump to somewhere else, which must stay at the end."""
    work = [code]
    while work:
        current = work.pop()
        last = current[-1] if current else None
        if isinstance(last, Jump) and last.label is not label:
            return True
        work.extend(arms_at_end(current))
    return False


def ending_at(ending: Stmt, jump: Jump) -> Stmt:
    """A short ending in the place of a jump to it."""
    label = jump.label
    if isinstance(ending, Return):
        slot = slot_of(ending.value, label)
        if slot is None:
            return End(ending.value, ending.offset, jump.stays) if isinstance(ending, End) else copy.copy(ending)
        value = jump.stack[slot]
        if isinstance(value, Held) and any(value is one for one in jump.held):  # evaluated right there
            value.crossed = False
        return Return(value, ending.offset)
    if isinstance(ending, Jump):
        return _past_label(jump, ending, [])
    return ending


def repeat_ending(code: List[Stmt], label: Label, behind: List[Stmt]) -> None:
    """Every jump to `label` becomes the short ending that stands there."""
    ending = behind[0]
    if isinstance(ending, Jump):
        ending.label.uses -= 1

    def make(jump: Jump) -> List[Stmt]:
        return [ending_at(ending, jump)]

    replace_jumps(code, label, make, into_loops=True)
    if isinstance(ending, Jump) and not label.uses:
        hand_on(label, ending.label)


# ---------------------------------------------------------------- jumps to what follows


def drop_tail(code: List[Stmt], label: Label) -> None:
    """Drops the jumps to `label` from which control would fall there anyway."""
    work = [code]
    while work and label.uses:
        current = work.pop()
        while current and label.uses:
            last = current[-1]
            if isinstance(last, Jump) and last.label is label and not last.stays:
                current.pop()
                label.uses -= 1
                current.extend(keep_held(last))
                if current and not isinstance(current[-1], (Jump,)) and keep_held(last):
                    break
                continue
            break
        last_statement = current[-1] if current else None
        if isinstance(last_statement, TryRegion):
            work.extend((last_statement.body, last_statement.catch))
        elif isinstance(last_statement, LOOPS):
            leave_inner_loops(last_statement.body, label)
            break_to_jumps(last_statement.body, label)
            replace_jumps(last_statement.body, label, lambda jump: [Break(jump.offset, jump.line, jump.certain)])
        work.extend(arms_at_end(current))


def _as_else(code: List[Stmt], label: Label, behind: List[Stmt]) -> bool:
    """try: ...; else: the body alone goes to the label, and a clause goes past it."""
    last = code[-1] if code else None
    if not isinstance(last, Try) or last.orelse or not last.clauses:
        return False
    if not any(jumps_elsewhere(c.body, label) for c in last.clauses) or jumps_to(last.body, label) != label.uses:
        return False
    if not _jumps_at_tail(last.body, label):
        return False
    drop_tail(last.body, label)
    if label.uses:
        as_loop_else(last.body, label)
    if label.uses:
        return False
    last.orelse = behind
    return True


def _jumps_at_tail(code: List[Stmt], label: Label) -> bool:
    """At its end, or out of a loop past what is to be the loop's else."""
    return any((s is code[-1] or isinstance(s, LOOPS)) and jumps_to([s], label) for s in code)


def jumps_elsewhere(code: List[Stmt], label: Label) -> bool:
    """Whether something goes past a label, other than by a `continue` that was written or that ends an inner loop's body."""
    return any(
        isinstance(s, Jump) and s.label is not label and not s.is_continue()
        for current in all_lists(code)
        for s in current
    )


def as_loop_else(code: List[Stmt], label: Label) -> None:
    """Jumps out of a loop past what follows it: that is the loop's else."""
    work = [code]
    while work and label.uses:
        current = work.pop()
        for index, statement in enumerate(current):
            if isinstance(statement, (While, For)) and not statement.orelse and index + 1 < len(current):
                leave_inner_loops(statement.body, label)
                break_to_jumps(statement.body, label)
                if jumps_to(statement.body, label, False) and not has_break(statement):
                    statement.orelse = current[index + 1 :]
                    del current[index + 1 :]
                    replace_jumps(statement.body, label, lambda jump: [Break(jump.offset, jump.line, jump.certain)])
                    break
        work.extend(arms_at_end(current))


def has_break(loop: Stmt) -> bool:
    """Whether what follows the loop is also reached by a break, which an else would not be."""
    body = loop.body  # type: ignore[attr-defined]
    return any(isinstance(s, Break) for current in all_lists(body, False) for s in current)


# ---------------------------------------------------------------- jumps over something


def nest(code: List[Stmt], label: Label) -> None:
    """if c: jump; rest -> if c: pass; else: rest; as deep as it goes."""
    while True:
        found = [i for i, s in enumerate(code) if isinstance(s, Branch) and jumps_to([s], label)]
        if not found:
            return
        index = found[0]
        statement = code[index]
        assert isinstance(statement, Branch)
        rest = code[index + 1 :]
        body_falls, else_falls = falls_through(statement.body), falls_through(statement.orelse)
        if rest and body_falls and else_falls:
            return
        del code[index + 1 :]
        arm = statement.body if body_falls else statement.orelse
        if rest and (body_falls or else_falls):
            arm.extend(rest)
        drop_tail(code, label)
        if not label.uses:
            return
        inside = statement.body if jumps_to(statement.body, label) else statement.orelse
        code = inside
