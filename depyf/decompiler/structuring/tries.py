"""try, except, finally and with: which statement a protected region was.

The handler's code tells: it tests the exception (except), leaves a context manager (with), or does something and
raises again (finally). The compiler copies a finally body, and the call of __exit__, to every way out of the region;
those copies are recognised at the beginning of what the region jumps to, and taken away.
"""

from __future__ import annotations

from typing import List, Optional, Tuple, Type

from depyf.bytecode.canonical import Block

from ..lifting.needs import NeedsCleanups
from ..lifting.temporaries import Temporaries
from ..lifting.values import Caught, Copied, Fresh, Held, Joined, Manager, ManagerPart, Marker, Test
from ..prepare.contexts import catches
from ..prepare.star import NOTHING_LEFT, STAR
from ..tree import (
    Assign,
    Const,
    Delete,
    ExceptClause,
    Expr,
    Name,
    Pass,
    Raise,
    Return,
    Stmt,
    Try,
    Unary,
    While,
    With,
)
from .ends import lead_to_end
from .exits import (
    Followers,
    inline_all_endings,
    inline_endings,
    keep_continues,
    note_numbers,
    strip_exits,
)
from .falling import all_fall, keep_written_jumps, lead_to_one_place, loop_around
from .flags import leave_block
from .jumps import (
    Branch,
    Cleanup,
    End,
    Exit,
    HeldHere,
    Jump,
    Label,
    NamedClause,
    NothingLeft,
    Nowhere,
    Reraise,
    TryRegion,
)
from .labels import drop_tail, place
from .walk import all_lists, falls_through, replace_jumps


def close_try(code: List[Stmt], followers: Followers, new_name: Temporaries, searched: bool) -> List[Stmt]:
    """`code` ends in a TryRegion; `followers` are the labelled codes that will stand behind it;
    `searched`: copies of `finally` were looked for in the graph already."""
    region = code[-1]
    assert isinstance(region, TryRegion)
    del code[-1]
    leave = End if new_name.seen else Return
    if _strip_cleanups(region, followers):
        code.append(_close_joined_finally(region, followers, leave, new_name))
        return code
    manager = _suppressing_manager(region.catch)
    if manager is not None:
        code.extend(_close_with(region, manager, followers))
        return code
    name = _cleaned_name(region.catch)
    if name is not None:
        _strip_name(name, region.body, followers)
        code.append(NamedClause(name, region.body, region.offset))
        return code
    if region.catch and not _tests_exception(region.catch) and _raises_at_end(region.catch):
        code.append(_close_finally(region, followers, searched))
        return code
    if region.catch and not falls_through(region.catch) and not catches(region.handler):
        made = _close_endless_finally(region, followers, leave)
        if made is not None:
            code.append(made)
            return code
        if not searched:
            raise NeedsCleanups()
    code.append(loop_around(_close_except(region, followers)))
    return code


# ---------------------------------------------------------------- with


def _suppressing_manager(catch: List[Stmt]) -> Optional[Manager]:
    first = catch[0] if catch else None
    if not isinstance(first, Branch):
        return None
    test = first.test
    while isinstance(test, Unary) and test.op == "not":
        test = test.operand
    return test.manager if isinstance(test, ManagerPart) and test.part == "suppress" else None


def _close_with(region: TryRegion, manager: Manager, followers: Followers) -> List[Stmt]:
    branch = region.catch[0]
    assert isinstance(branch, Branch)
    negated = isinstance(branch.test, Unary)
    suppressed, raised = (branch.orelse, branch.body) if negated else (branch.body, branch.orelse)
    for statement in raised:  # the same place as another one's, if the compiler repeated both
        if isinstance(statement, Jump):
            statement.label.uses -= 1
    target, body = _entered_target(manager, region.body)
    strip_exits_of_manager(body, followers, manager, suppressed)
    made = With([(manager.value, target)], body, manager.is_async, manager.offset)
    return [made, *suppressed, *region.catch[1:]]


def strip_exits_of_manager(body: List[Stmt], followers: Followers, manager: Manager, suppressed: List[Stmt]) -> None:
    """Where a suppressed exception leads to is behind the statement: no jump or return that stands there was in its body."""
    stripped = []
    reached = followers.reached_from(body)
    seen = {label for label, _ in reached}
    for label, code in reached:
        if len(code) == 1 and isinstance(code[0], Jump) and code[0].label not in seen:
            seen.add(code[0].label)
            reached += followers.reached_from(code)  # a return from a `finally` goes on from where that is left
        if label.uses:
            for index, statement in enumerate(code):
                if isinstance(statement, Exit) and statement.manager is manager:
                    del code[index]
                    stripped.append((label, code))
                    break
                if not isinstance(statement, HeldHere):
                    break
    followers.keep_written(stripped)
    behind = followers.led_to(suppressed)
    for label, code in followers.reached_from(body):
        onward = code[0] if label.fallen_to and len(code) == 1 else None
        if isinstance(onward, Jump) and onward.label in behind:
            drop_tail(body, label)  # what a clause falls off is the end of the statement, too
            if not label.uses:
                onward.label.uses -= 1
                code.clear()
    inline_endings(body, followers, behind)


def _entered_target(manager: Manager, body: List[Stmt]) -> Tuple[Optional[Expr], List[Stmt]]:
    first = body[0] if body else None
    if isinstance(first, Assign) and len(first.targets) == 1:
        value = first.value
        if isinstance(value, ManagerPart) and value.manager is manager and value.part == "entered":
            return first.targets[0], body[1:]
    return None, body


# ---------------------------------------------------------------- finally


def _tests_exception(catch: List[Stmt]) -> bool:
    first = catch[0]
    return isinstance(first, Branch) and _is_exception_test(first.test) is not None


def tails(code: List[Stmt]) -> List[List[Stmt]]:
    """The lists at whose ends control leaves `code`: through the arms of what stands last."""
    found: List[List[Stmt]] = []
    work = [code]
    while work:
        current = work.pop()
        last = current[-1] if current else None
        if isinstance(last, Branch):
            work.extend((last.orelse, last.body))
        elif isinstance(last, Try) and not last.finalbody:
            work.extend(c.body for c in last.clauses)
            work.append(last.orelse or last.body)
        elif isinstance(last, With):
            work.append(last.body)
        else:
            found.append(current)
    return found


def _raises_at_end(catch: List[Stmt]) -> bool:
    return any(tail and isinstance(tail[-1], Reraise) for tail in tails(catch))


def _strip_cleanups(region: TryRegion, followers: Followers) -> bool:
    """Takes away what stands for the copies, where they were found in the graph."""
    stripped = []
    numbers = {}
    for label, code in followers.reached_from(region.body):
        if label.uses:
            for index, statement in enumerate(code):
                if isinstance(statement, Cleanup) and statement.handler is region.handler:
                    del code[index]
                    stripped.append((label, code))
                    if statement.copies:
                        numbers[id(label)] = statement.copies, statement.offset
                if not isinstance(statement, HeldHere):
                    break
    if stripped:
        keep_continues(stripped)
        note_numbers(region.body, region.catch, numbers)
        followers.leave_behind(region.body, stripped, region.catch)
        inline_endings(region.body, followers)
    return bool(stripped)


def _close_finally(region: TryRegion, followers: Followers, searched: bool) -> Stmt:
    final = region.catch
    raising = [tail for tail in tails(final) if tail and isinstance(tail[-1], Reraise)]
    raised = [tail.pop() for tail in raising]
    if strip_exits(region.body, followers, final, len(final)):
        inline_all_endings(final, followers)
        return Try(region.body, [], [], final or [Pass()], False, region.offset)
    if not searched:
        raise NeedsCleanups()
    for tail, again in zip(raising, raised):
        tail.append(Raise(None, None, again.offset))
    for current in all_lists(region.body):
        for statement in current:
            if isinstance(statement, Jump):
                for held in statement.held:  # evaluated under the handler
                    held.crossed = True
    clause = ExceptClause(None, None, final, region.offset)
    return Try(region.body, [clause], [], [], False, region.offset)


def _close_joined_finally(
    region: TryRegion, followers: Followers, leave: Type[Return], new_name: Temporaries
) -> Stmt:
    """A `finally` whose copies were found in the graph: its body may raise again anywhere, which is its end."""
    end = Label(Block(-1), [])
    for current in all_lists(region.catch):
        for index, statement in enumerate(current):
            if isinstance(statement, Reraise):
                current[index] = Jump(end, [], [], statement.offset, None)
                end.uses += 1
    if not end.uses:
        return _endless_finally(region, followers, leave)
    final = place(region.catch, end, [], [], new_name)
    inline_all_endings(final, followers)
    return Try(region.body, [], [], final or [Pass()], False, region.offset)


def _close_endless_finally(region: TryRegion, followers: Followers, leave: Type[Return]) -> Optional[Stmt]:
    """A finally body that raises or returns: nothing is left of where control was going."""
    reached = [label for label, _ in followers.reached_from(region.body) if label.uses]
    if not reached or not strip_exits(region.body, followers, region.catch, len(region.catch)):
        return None
    codes = {id(label): code for label, code in followers}
    if any(codes[id(label)] for label in reached):
        return None
    return _endless_finally(region, followers, leave)


def _endless_finally(region: TryRegion, followers: Followers, leave: Type[Return]) -> Stmt:
    reached = [label for label, _ in followers.reached_from(region.body) if label.uses]
    never = Nowhere if leave is End else leave

    def returned(jump: Jump) -> List[Stmt]:
        value = jump.stack[-1] if jump.stack else None
        if value is None or isinstance(value, Marker):
            return [never(Const(None), jump.offset)]
        if isinstance(value, Held):
            value.crossed = False
        return [never(value, jump.offset)]

    wrapped = not followers.may_return and keep_written_jumps(region, reached)
    without = [label for label in reached if not _takes_value(label)]
    lead_to_one_place(region.body, without)
    for label in without[:1] if not followers.may_return else ():
        lead_to_end(region.body, label)
    for label in reached:
        if not _takes_value(label):
            drop_tail(region.body, label)
        replace_jumps(region.body, label, returned, into_loops=True)
    inline_endings(region.catch, followers)
    made = Try(region.body, [], [], region.catch, False, region.offset)
    return While(Const(True), [made], [], region.offset) if wrapped else made


def _takes_value(label: Label) -> bool:
    """Whether what stands at a label returns a value that is there."""
    return isinstance(label.entry[-1] if label.entry else None, (Held, Joined, Fresh))


# ---------------------------------------------------------------- except


def _is_exception_test(test: Expr) -> Optional[Test]:
    while isinstance(test, Unary) and test.op == "not":
        test = test.operand
    if isinstance(test, Copied) and test.value is not None:
        test = test.value
    return test if isinstance(test, Test) and test.kind == "exception" else None


def _cleaned_name(catch: List[Stmt]) -> Optional[str]:
    """name = None; del name; raise again: the end of `except ... as name`."""
    if len(catch) != 3 or not isinstance(catch[2], Reraise):
        return None
    first, second = catch[0], catch[1]
    if not isinstance(first, Assign) or not isinstance(second, Delete) or len(first.targets) != 1:
        return None
    target, deleted = first.targets[0], second.targets[0]
    if not isinstance(target, Name) or not isinstance(deleted, Name) or target.id != deleted.id:
        return None
    return target.id if isinstance(first.value, Const) and first.value.value is None else None


def _close_except(region: TryRegion, followers: Followers) -> Try:
    clauses: List[ExceptClause] = []
    catch = region.catch
    star = False
    while True:
        first = catch[0] if catch else None
        test = _is_exception_test(first.test) if isinstance(first, Branch) else None
        if test is None or not isinstance(first, Branch):
            if not (len(catch) == 1 and isinstance(first, Reraise)):
                clauses.append(_clause(None, catch, followers, region.offset))
            break
        star = star or test.extra == STAR
        negated = isinstance(first.test, Unary)
        body, rest = (first.orelse, first.body) if negated else (first.body, first.orelse)
        if test.extra == NOTHING_LEFT:
            clauses.append(NothingLeft(None, None, body, first.offset))
        else:
            clauses.append(_clause(test.operands[1], body, followers, first.offset))
        catch = rest + catch[1:]
    return Try(region.body, clauses, [], [], star, region.offset)


def _clause(pattern: Optional[Expr], body: List[Stmt], followers: Followers, offset: int) -> ExceptClause:
    name: Optional[str] = None
    first = body[0] if body else None
    if isinstance(first, Assign) and isinstance(first.value, Caught) and len(first.targets) == 1:
        target = first.targets[0]
        second = body[1] if len(body) > 1 else None
        if isinstance(target, Name) and isinstance(second, NamedClause) and second.name == target.id:
            name = target.id
            body = second.body + body[2:]
            _strip_name(name, body, followers)
        elif isinstance(target, Name):  # nothing was left to protect
            name = target.id
            body = body[3:] if _begins_with_cleanup(body[1:], name) else body[1:]  # before 3.9 the clause ends with it
            _strip_name(name, body, followers)
    for current in all_lists(body):
        for index, statement in enumerate(current):
            if isinstance(statement, Reraise):
                current[index] = Raise(None, None, statement.offset)
    return ExceptClause(pattern, name, body, offset)


def _strip_name(name: str, body: List[Stmt], followers: Followers) -> None:
    """On every way out of the clause the name is set to None and deleted."""
    for label, code in followers.reached_from(body):
        if label.uses and _begins_with_cleanup(code, name):
            del code[:2]
            if len(code) == 1 and isinstance(code[0], Jump) and code[0].falls and not all_fall(body, label):
                _fall_off_clause(body, label)
    inline_endings(body, followers)


def _fall_off_clause(body: List[Stmt], label: Label) -> None:
    """Jumps to where a clause ends, which is seen (see `prepare.clauses`), become falling off its end."""
    jump = next(s for current in all_lists(body) for s in current if isinstance(s, Jump) and s.label is label)
    lead_to_end(body, label)
    if label.uses and not leave_block(body, label):
        return
    label.uses += 1
    body.append(Jump(label, jump.stack, [], jump.offset, None))


def _begins_with_cleanup(code: List[Stmt], name: str) -> bool:
    return len(code) >= 2 and _cleaned_name([code[0], code[1], Reraise(-1)]) == name


