"""From the structured tree to plain statements: branches become `if`, values that must be remembered get their
temporaries, markers disappear. Afterwards nothing from `jumps` or `values` is left undecided.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Sequence, Set, Tuple

from depyf.errors import DecompilationError

from ..lifting.needs import NeedsTemporaries, needs_names
from ..lifting.values import Chained, Copied, Held, Joined, Local, ManagerPart, UnpackedItem, Value, is_comprehension
from ..prepare.cases import case_of
from ..tree import (
    Assign,
    AugAssign,
    Const,
    Delete,
    Expr,
    For,
    If,
    Match,
    Name,
    Node,
    Pass,
    Raise,
    Return,
    Stmt,
    Try,
    While,
    With,
)
from .expressions import expressions_in
from .jumps import (
    Accumulate,
    Branch,
    Cleanup,
    End,
    Enter,
    Exit,
    ForNext,
    HeldHere,
    Jump,
    Loop,
    MatchBegins,
    NamedClause,
    Reraise,
    TryRegion,
    Update,
)
from .logic import negate
from .matches import make_match, make_match_of_guards, name_captured
from .walk import HOLDERS, EndsReached, child_lists


def finalize(code: List[Stmt], new_name: Callable[[], str], code_name: str, shares: bool = True) -> Set[type]:
    """In the order of the text: what stands in a statement may name what a later one uses. `shares`: whether a value was
    copied, or used in another block than that which computed it. Returns the classes of statements that hold others."""
    holders: Set[type] = set()
    falls = EndsReached()
    work = [(code, 0, False)]
    while work:
        current, index, ends_loop = work.pop()  # the end of a loop's body is the end of `current`
        while index < len(current):
            kind = current[index].__class__
            if kind is Assign:
                name_captured(current[index], new_name)  # type: ignore[arg-type]
            elif kind is MatchBegins:
                make_match_of_guards(current, index, new_name, ends_loop)
            elif kind in _UNDECIDED:
                current[index : index + 1] = _decided(current, index, new_name, code_name, ends_loop, falls)
                continue  # looked at again: what it holds may need the same
            elif kind is Return and _return_at_once(current, index):
                index -= 1
            statement = current[index]
            index += 1
            if statement.__class__ in HOLDERS:
                holders.add(statement.__class__)
                work.append((current, index, ends_loop))
                work += _inner_lists(statement, ends_loop and index == len(current))[::-1]
                break
    if shares:
        _name_copies(code, new_name)
    return holders


def _return_at_once(code: List[Stmt], index: int) -> bool:
    """A value that is kept only to be returned right there, as out of a try: the return evaluates it. Whether it was that."""
    returned, before = code[index], code[index - 1] if index else None
    assert isinstance(returned, Return)
    kept = returned.value.name if isinstance(returned.value, (Held, Joined)) else None
    if kept is None or not isinstance(before, Assign) or not isinstance(before.targets[0], Name):
        return False
    if len(before.targets) > 1 or before.targets[0].id != kept:
        return False
    code[index - 1 : index + 1] = [Return(before.value, returned.offset)]
    return True


def _inner_lists(statement: Stmt, ends_loop: bool) -> List[Tuple[List[Stmt], int, bool]]:
    """The lists in a statement, which is at the end of a loop's body or not, and whether that is so for their ends, too."""
    if isinstance(statement, (While, For)):
        return [(statement.body, 0, True), (statement.orelse, 0, ends_loop)]
    if isinstance(statement, Try):
        clauses = [(clause.body, 0, ends_loop and not statement.star) for clause in statement.clauses]
        body = (statement.body, 0, ends_loop and not statement.orelse)
        return [body, *clauses, (statement.orelse, 0, ends_loop), (statement.finalbody, 0, False)]
    ends_loop = ends_loop and isinstance(statement, (If, Match, With))
    return [(inner, 0, ends_loop) for inner in child_lists(statement)]


def _decided(
    code: List[Stmt], index: int, new_name: Callable[[], str], code_name: str, ends_loop: bool, falls: EndsReached
) -> List[Stmt]:
    """Plain statements in the place of one that is not."""
    statement = code[index]
    if isinstance(statement, Branch) and case_of(statement.test) is not None:
        return [*_assign_held(statement.held, new_name, True), *make_match(code, index, new_name, ends_loop)]
    if isinstance(statement, Branch):
        return [*_assign_held(statement.held, new_name, True), *_plain_if(statement, falls)]
    if isinstance(statement, HeldHere):
        return _assign_held(statement.held, new_name, False)
    if isinstance(statement, Enter):
        return _left_at_once(code, index, statement)
    if isinstance(statement, End):
        return [Return(statement.value, statement.offset)]
    if isinstance(statement, Reraise):
        return [Raise(None, None, statement.offset)]
    if isinstance(statement, NamedClause):
        return [_finally_of_name(statement)]
    if isinstance(statement, Update):
        return _augmented(statement)
    raise DecompilationError(
        f"no statement expresses this control flow ({type(statement).__name__} left over)",
        code_name=code_name,
        offset=statement.offset,
    )


# all others are plain statements already
_UNDECIDED = frozenset((
    Branch, HeldHere, Enter, End, Reraise, Jump, Exit, Cleanup, Accumulate, Loop, ForNext, TryRegion, NamedClause,
    Update,
))  # fmt: skip


def _augmented(update: Update) -> List[Stmt]:
    """What was read was evaluated right before, or has a name by now: then the operator changes what has that name."""
    read, offset = update.value, update.offset
    if read.name is None:
        assert read.value is not None
        return [AugAssign(read.value, update.op, update.right, offset)]
    if any(isinstance(e, Copied) and e.rebound and e.name is None for e in expressions_in(update)):
        raise NeedsTemporaries()  # the target would be another behind its operand
    made = AugAssign(Name(read.name), update.op, update.right, offset)
    return [made, Assign([update.target], Name(read.name), offset)]


def _finally_of_name(clause: NamedClause) -> Stmt:
    """finally: name = None; del name: like the end of `except ... as name`, but of no clause."""
    name, offset = clause.name, clause.offset
    return Try(clause.body, [], [], [Assign([Name(name)], Const(None), offset), Delete([Name(name)], offset)], False, offset)


def _left_at_once(code: List[Stmt], index: int, enter: Enter) -> List[Stmt]:
    """A `with` whose body cannot raise: the compiler leaves no handler, only entering and leaving."""
    place = index + 1
    target = None
    following = code[place] if place < len(code) else None
    if isinstance(following, With) and following.items[0][0] is enter.manager.value:
        return []  # the statement was made when its handler was found: most are, so the rest of the code is not searched
    if isinstance(following, Assign) and isinstance(following.value, ManagerPart) and len(following.targets) == 1:
        if following.value.manager is enter.manager and following.value.part == "entered":
            target = following.targets[0]
            place += 1
    for end in range(place, len(code)):
        statement = code[end]
        if isinstance(statement, Exit) and statement.manager is enter.manager:
            body = code[place:end] or [Pass()]
            del code[index + 1 : end + 1]
            return [With([(enter.manager.value, target)], body, enter.manager.is_async, enter.offset)]
    return []


def _assign_held(held: Sequence[Any], new_name: Callable[[], str], all_of_them: bool) -> List[Stmt]:
    made: List[Stmt] = []
    for one in held:
        if isinstance(one, (Chained, Copied)):
            raise NeedsTemporaries()
        if isinstance(one, UnpackedItem):
            raise needs_names(one)
        if isinstance(one, Joined) and one.value is None:
            continue  # assigned on every way to its block
        if one.value is not None and is_comprehension(one.value):
            continue  # has no name, but nobody sees where it is made: each way may say it
        if one.name is None and (one.crossed or all_of_them and not isinstance(one.value, Local)):
            assert one.value is not None
            one.name = new_name()
            made.append(Assign([Name(one.name)], one.value, one.offset))
    return made


def _plain_if(branch: Branch, falls: EndsReached) -> List[Stmt]:
    """A body that does not go on needs no else; an empty body is the else of the opposite."""
    test, body, orelse = branch.test, branch.body, branch.orelse
    if not body and orelse:
        test, body, orelse = negate(test), orelse, []
    if not body:
        body = [Pass()]
    if orelse and not falls(body):
        return [If(test, body, [], branch.offset), *orelse]
    return [If(test, body, orelse, branch.offset)]


# ---------------------------------------------------------------- copies


def _name_copies(code: List[Stmt], new_name: Callable[[], str]) -> None:
    """A copied value that is still used more than once gets a temporary before its first use, if that is legal."""
    uses: Dict[int, int] = {}
    first: Dict[int, Any] = {}
    work = [code]
    while work:
        current = work.pop()
        for statement in current:
            for expression in [e for e in expressions_in(statement) if e.__class__ in _SHARED]:
                if isinstance(expression, Joined) and expression.name is None and expression.value is None:
                    raise NeedsTemporaries()  # no way in has said which value it is
                if isinstance(expression, Held) and expression.crossed and not _may_repeat(expression):
                    raise NeedsTemporaries()  # it was evaluated earlier, where no temporary was placed
                if isinstance(expression, Copied) and expression.name is None:
                    key = id(expression)
                    uses[key] = uses.get(key, 0) + 1
                    first.setdefault(key, (expression, current, statement))
            work.extend(reversed(child_lists(statement)))
    late: List[int] = []
    for key, count in uses.items():
        if count > 1:
            copied, current, statement = first[key]
            if not _name_copy(copied, current, statement, new_name):
                late.append(copied.offset)
    if late:
        raise NeedsTemporaries(frozenset(late))


_SHARED = frozenset((Held, Copied, Joined))


def _may_repeat(value: Any) -> bool:
    """A constant, a local variable, or something that has a temporary."""
    while isinstance(value, Value):
        if value.name is not None:
            return True
        value = value.value
    return isinstance(value, (Local, Const))


def _name_copy(copied: Copied, current: List[Stmt], statement: Stmt, new_name: Callable[[], str]) -> bool:
    """Whether the copy may be repeated, or has got a name."""
    if _may_repeat(copied):
        return True  # reading it twice is reading it once
    if not isinstance(statement, If) or not _is_tested_first(statement.test, copied):
        return False
    assert copied.value is not None
    value = copied.value
    copied.name = new_name()
    index = next(i for i, s in enumerate(current) if s is statement)
    current.insert(index, Assign([Name(copied.name)], value, copied.offset))
    return True


def _is_tested_first(test: Expr, copied: Copied) -> bool:
    from ..tree import BoolOp, Compare, Unary

    while True:
        if test is copied:
            return True
        if isinstance(test, Unary):
            test = test.operand
        elif isinstance(test, BoolOp):
            test = test.values[0]
        elif isinstance(test, Compare):
            test = test.left
        else:
            return False


__all__ = ["finalize", "NeedsTemporaries", "Node", "While"]
