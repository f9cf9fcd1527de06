"""Out of two loops at once: `break` leaves the inner one, whose `else` goes on with the outer one, and another `break` follows.

    for a in b:
        for c in d:
            if c: <jump behind both>
        rest

is the same as

    for a in b:
        for c in d:
            if c: break
        else:
            rest
            continue
        <jump behind both>

which takes no flag. It only fits where an inner loop has no `break` of its own, and what follows it ends the outer one's body.
"""

from __future__ import annotations

from typing import List, Optional

from ..tree import Break, Continue, For, If, Stmt, Try, While
from .jumps import Branch, End, Jump, Label
from .walk import LOOPS, all_lists, arms_at_end, falls_through, has_no_test, jumps_to, replace_jumps


def break_to_jumps(code: List[Stmt], label: Label) -> None:
    """Out of an inner loop to `label`, behind which a jump there stands: `break` leads to that jump."""
    for current in all_lists(code):
        for statement, behind in zip(current, current[1:]):
            if isinstance(statement, LOOPS) and isinstance(behind, Jump) and behind.label is label and not behind.held:
                replace_jumps(statement.body, label, lambda jump: [Break(jump.offset, jump.line, jump.certain)])


def leave_inner_loops(body: List[Stmt], label: Label) -> None:
    """In the body of a loop: jumps to `label`, behind that loop, no longer stand in inner ones where they need not."""
    _leave_endless_loops(body, label)
    for current in _ending_lists(body):
        for index, statement in enumerate(current):
            if isinstance(statement, (For, While)) and jumps_to(statement.body, label):
                leave_inner_loops(statement.body, label)
                _leave(current, index, label)
                break  # nothing but the jump follows


def _leave_endless_loops(body: List[Stmt], label: Label) -> None:
    """Of a `while True` that is left for `label` alone, wherever it stands: nothing else comes behind it."""
    for current in list(all_lists(body))[::-1]:
        for index, statement in enumerate(current):
            if isinstance(statement, While) and has_no_test(statement) and jumps_to(statement.body, label, False):
                _leave(current, index, label)
                break  # nothing but the jump follows


def leave_by_else(code: List[Stmt], label: Label) -> None:
    """Jumps to `label` out of loops behind which nothing falls through: `break`, and one jump behind; what stood there is the `else`."""
    for current in list(all_lists(code))[::-1]:
        for index, statement in enumerate(current):
            if isinstance(statement, (For, While)) and jumps_to(statement.body, label, False):
                endless = isinstance(statement, While) and has_no_test(statement)
                if endless:
                    _end_inside(current, index)
                if endless or not falls_through(current[index + 1 :]):
                    _leave(current, index, label)
                break  # nothing but the jump follows


def _end_inside(current: List[Stmt], index: int) -> None:
    """What a `while True` is left for by its only `break`, and that goes nowhere else, stands in the place of the `break`."""
    rest = current[index + 1 :]
    if rest and not falls_through(rest):
        _take_in(current, index)


def end_inside(code: List[Stmt], label: Label) -> None:
    """The same for a `while True` from which other jumps lead to `label`, past what its only `break` leads to: behind that,
    which stands in the loop then, a jump to `label` follows. `label` is where control falls off `code`."""
    work = [code]
    while work:
        current = work.pop()
        if not _end_in_first_loop(current, label):
            work += [arm for arm in arms_at_end(current) if jumps_to(arm, label)]


def _end_in_first_loop(code: List[Stmt], label: Label) -> bool:
    for index, statement in enumerate(code):
        if isinstance(statement, While) and has_no_test(statement) and jumps_to(statement.body, label, False):
            rest = code[index + 1 :]
            ends = _take_in(code, index) if rest else None
            if ends is not None and falls_through(rest):
                jumps = [s for inside in all_lists(statement.body) for s in inside if isinstance(s, Jump) and s.label is label]
                label.uses += 1
                ends.append(Jump(label, jumps[0].stack, [], jumps[0].offset, None))
            return True
    return False


def _take_in(current: List[Stmt], index: int) -> Optional[List[Stmt]]:
    """Puts what follows a loop in the place of its only `break`, if nothing protects that; the list that it ends then."""
    loop, rest = current[index], current[index + 1 :]
    assert isinstance(loop, While)
    breaks = [inside for inside in all_lists(loop.body, False) for s in inside if isinstance(s, Break)]
    if len(breaks) != 1 or all(breaks[0] is not arm for arm in _arms(loop.body)):
        return None
    if any(isinstance(s, (Break, Continue, End)) for inside in all_lists(rest, False) for s in inside):
        return None  # of a loop around, or of a body that cannot return
    place = next(i for i, s in enumerate(breaks[0]) if isinstance(s, Break))
    breaks[0][place:] = rest
    del current[index + 1 :]
    return breaks[0]


def _arms(code: List[Stmt]) -> List[List[Stmt]]:
    """`code` and the arms of all ifs in it, and of what nothing protects in a try: its `else`."""
    found = [code]
    for current in found:
        for statement in current:
            if isinstance(statement, (Branch, If)):
                found += [statement.body, statement.orelse]
            elif isinstance(statement, Try) and not statement.finalbody:
                found.append(statement.orelse)
    return found


def _ending_lists(body: List[Stmt]) -> List[List[Stmt]]:
    """`body` and the arms of ifs at its end: whatever falls off their ends goes on with the loop."""
    found = [body]
    for current in found:
        last = current[-1] if current else None
        if isinstance(last, (Branch, If)):
            found += [last.body, last.orelse]
    return found


def _leave(current: List[Stmt], index: int, label: Label) -> None:
    loop, rest = current[index], current[index + 1 :]
    assert isinstance(loop, (For, While))
    direct = [s for inside in all_lists(loop.body, False) for s in inside if isinstance(s, (Jump, Break))]
    jumps = [s for s in direct if isinstance(s, Jump) and s.label is label]
    if not jumps or loop.orelse or any(isinstance(s, Break) for s in direct):
        return
    if rest and isinstance(rest[0], Jump) and rest[0].label is label:
        return  # `break` alone leads there
    replace_jumps(loop.body, label, lambda jump: [Break(jump.offset, jump.line, jump.certain)])
    if isinstance(loop, For) or not has_no_test(loop):  # otherwise it ends in no other way
        loop.orelse = [*rest, Continue(loop.offset)] if falls_through(rest) else rest
    label.uses += 1
    current[index + 1 :] = [Jump(label, jumps[0].stack, [], jumps[0].offset, None)]
