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

import copy
from typing import List, Optional, Type, Union

from ..tree import Break, Const, Continue, For, If, Stmt, Try, While, With
from .jumps import Branch, End, Jump, Label
from .walk import LOOPS, all_lists, arms_at_end, falls_through, has_no_test, jumps_to, keep_held, replace_jumps


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


def go_on_inside(code: List[Stmt], label: Label) -> None:
    """try: <a loop with jumps to `label`>; ...; and then a jump, which does nothing else: it may stand in the try as well, so that
    nothing falls through behind the loop."""
    for current in list(all_lists(code))[::-1]:
        for statement, ending in zip(current, current[1:]):
            if isinstance(statement, Try) and _only_jumps(ending):
                for tail in tails_of([statement]):
                    loops = [s for s in tail if isinstance(s, (For, While)) and jumps_to(s.body, label, False)]
                    if loops and falls_through(tail):
                        tail.append(_again(ending))
                if not falls_through([statement]):
                    del current[current.index(statement) + 1 :]
                    if isinstance(ending, Jump):
                        ending.label.uses -= 1
                break


def _only_jumps(ending: Stmt) -> bool:
    if isinstance(ending, Jump):
        return not ending.held and not ending.label.entry_parameters()
    return isinstance(ending, (Break, Continue)) or isinstance(ending, End) and isinstance(ending.value, Const)


def _again(ending: Stmt) -> Stmt:
    if isinstance(ending, Jump):
        ending.label.uses += 1
    return copy.copy(ending)


def tails_of(code: List[Stmt]) -> List[List[Stmt]]:
    """The lists at whose ends control would fall to the end of `code`, and the arms of no loop."""
    found: List[List[Stmt]] = []
    work = [code]
    while work:
        current = work.pop()
        inner = [] if current and isinstance(current[-1], LOOPS) else arms_at_end(current)
        work += inner
        if not inner:
            found.append(current)
    return found


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
            ends = _take_in(code, index) or _trade_ends(code, index) if rest else None
            if ends is not None and falls_through(rest):
                jumps = [s for inside in all_lists(statement.body) for s in inside if isinstance(s, Jump) and s.label is label]
                label.uses += 1
                ends.append(Jump(label, jumps[0].stack, [], jumps[0].offset, None))
            return True
    return False


def leave_before_end(code: List[Stmt], label: Label) -> bool:
    """while True: a; <b, which leaves it on all ways, some to `label`> -> while True: a; break, b; whether there was one."""
    found = False
    for current in list(all_lists(code))[::-1]:
        for index in range(len(current) - 1, -1, -1):
            loop = current[index]
            if isinstance(loop, While) and has_no_test(loop) and jumps_to(loop.body, label, False):
                found = _leave_before_end(current, index, loop) or found
    return found


def _leave_before_end(current: List[Stmt], index: int, loop: While) -> bool:
    body = loop.body
    last = len(body)
    while last and not _has(body[last - 1 : last], Continue):
        last -= 1
    if not last or last == len(body) or falls_through(body) or _has(body[:last], Break):
        return False
    leaving = body[last:]
    ends = [inside for inside in _ending_lists(leaving) if inside and isinstance(inside[-1], Break)]
    if len(ends) != sum(isinstance(s, Break) for inside in all_lists(leaving, False) for s in inside):
        return False
    for inside in ends:
        inside.pop()
    current[index + 1 : index + 1] = leaving
    body[last:] = [Break(loop.offset)]
    return True


def _has(code: List[Stmt], kind: Union[Type[Break], Type[Continue]]) -> bool:
    return any(isinstance(s, kind) for inside in all_lists(code, False) for s in inside)


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


def _trade_ends(current: List[Stmt], index: int) -> Optional[List[Stmt]]:
    """Puts what follows a loop at the end of its body, where each `break` falls off then, and `continue` where control fell off."""
    loop, rest = current[index], current[index + 1 :]
    assert isinstance(loop, While)
    if any(isinstance(s, (Break, Continue, End)) for inside in all_lists(rest, False) for s in inside):
        return None
    if not fall_off_instead(loop):
        return None
    loop.body += rest
    del current[index + 1 :]
    return loop.body


def fall_off_instead(loop: While) -> bool:
    """Each `break` of a loop becomes falling off the end of its body, and falling off it `continue`; whether that is possible."""
    found = tails_of(loop.body)
    breaks = [s for inside in all_lists(loop.body, False) for s in inside if isinstance(s, Break)]
    if len(breaks) != sum(1 for tail in found if tail and isinstance(tail[-1], Break)):
        return False
    if any(_falls_without_end(s) for inside in all_lists(loop.body, False) for s in inside[-1:]):
        return False
    for tail in found:
        if tail and isinstance(tail[-1], Break):
            tail.pop()
        elif falls_through(tail):
            tail.append(Continue(loop.offset))
    return True


def _falls_without_end(statement: Stmt) -> bool:
    """Whether control comes behind a statement in other ways than off the ends of what it holds: an exception was swallowed."""
    return isinstance(statement, With) or isinstance(statement, Try) and statement.star


def _arms(code: List[Stmt]) -> List[List[Stmt]]:
    """`code` and the arms of all ifs in it, what is behind a loop in its `else`, and what nothing protects in a try: its `else`."""
    found = [code]
    for current in found:
        for statement in current:
            if isinstance(statement, (Branch, If)):
                found += [statement.body, statement.orelse]
            elif isinstance(statement, (For, While)) or isinstance(statement, Try) and not statement.finalbody:
                found.append(statement.orelse)
    return found


def put_in_place(code: List[Stmt], label: Label, behind: List[Stmt]) -> bool:
    """Puts `behind`, which goes elsewhere, in the place of the only jump to it, wherever that is neither in a loop nor protected."""
    for arm in _arms(code) if label.uses == 1 and behind and not falls_through(behind) else ():
        jump = arm[-1] if arm else None
        if isinstance(jump, Jump) and jump.label is label:
            label.uses -= 1
            arm[-1:] = [*keep_held(jump), *behind]
            return True
    return False


def _ending_lists(body: List[Stmt]) -> List[List[Stmt]]:
    """`body` and the arms of ifs at its end: whatever falls off their ends goes on with the loop."""
    found = [body]
    for current in found:
        last = current[-1] if current else None
        if isinstance(last, (Branch, If)):
            found += [last.body, last.orelse]
    return found


def leave_in_tries(code: List[Stmt], label: Label) -> None:
    """Of a loop that ends the body of another one in a try or with: its `else` goes on with the outer one."""
    for current in list(all_lists(code))[::-1]:
        for statement in current:
            for arm in _repeating_lists(statement.body) if isinstance(statement, (For, While)) else ():
                for index, inner in enumerate(arm):
                    if isinstance(inner, (For, While)) and jumps_to(inner.body, label, False):
                        _leave(arm, index, label)
                        break  # nothing but the jump follows


def _repeating_lists(body: List[Stmt]) -> List[List[Stmt]]:
    """`body` and the lists at whose ends control would fall to its end, where `continue` may stand: not in an except*."""
    found = [body]
    for current in found:
        last = current[-1] if current else None
        if not isinstance(last, Try) or not last.star:
            found += arms_at_end(current)
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
