"""Makes `match` of the branches on cases, and of cases that take everything under a guard, which are plain branches."""

from __future__ import annotations

from typing import Callable, List, Optional

from ..lifting.values import Test
from ..prepare.cases import Subject, case_of
from ..tree import (
    Assign,
    BoolOp,
    Break,
    Const,
    Continue,
    Expr,
    ExprStmt,
    Match,
    MatchAs,
    MatchCase,
    MatchOr,
    Name,
    NamedExpr,
    Pass,
    Pattern,
    Stmt,
    While,
)
from .jumps import Branch, HeldHere, MatchBegins
from .logic import make_and, negate
from .walk import all_lists, falls_through


def make_match(code: List[Stmt], index: int, new_name: Callable[[], str], ends_loop: bool) -> List[Stmt]:
    """The `match` of a branch on a case; branches on further cases of the same subject are its other cases.

    Behind a case whose guard never holds, the other cases are what stands behind the branch. `ends_loop`: `code` is the end
    of a loop's body, which a case may leave by `continue`."""
    branch = code[index]
    assert isinstance(branch, Branch) and isinstance(branch.test, Test)
    subject = branch.test.operands[0]
    assert isinstance(subject, Subject)
    rest: List[Stmt] = [branch]
    if _decides_nothing(branch, subject) and _tests_subject(code, subject, index + 1):
        rest += code[index + 1 :]
        del code[index + 1 :]
    return _match(subject, rest, branch.offset, new_name, ends_loop and index + 1 == len(code))


def make_match_of_guards(code: List[Stmt], index: int, new_name: Callable[[], str], ends_loop: bool) -> None:
    """The same where the first case takes everything under a guard: the subject is evaluated at `index`."""
    statement = code[index]
    assert isinstance(statement, MatchBegins)
    subject = statement.subject
    end = index + 1
    while end < len(code):  # cases whose guards never hold may come first
        nothing = _only_tests(code[end]) or _decides_nothing(code[end], subject)
        never = nothing and _tests_subject(code, subject, end + 1)
        if not never and _captured(code[end], subject) is None:
            break
        end += 1
    branch = code[end] if end < len(code) else None
    if isinstance(branch, Branch) and (_tests_case(branch, subject) or not branch.held):
        rest = code[index + 1 : end + 1]
        code[index : end + 1] = _match(subject, rest, statement.offset, new_name, ends_loop and end + 1 == len(code))
        return
    subject.match = code[index] = ExprStmt(subject.value, statement.offset)


def name_captured(statement: Assign, new_name: Callable[[], str]) -> None:
    """Gives a name the subject of a match that stands before."""
    if isinstance(statement.value, Subject) and statement.value.match is not None:
        statement.value = _subject_name(statement.value, new_name)


def _match(subject: Subject, rest: List[Stmt], offset: int, new_name: Callable[[], str], ends_loop: bool) -> List[Stmt]:
    made = Match(_subject_value(subject, new_name), [], offset)
    if subject.match is None:
        subject.match = made
    cases = _Cases(subject, made, ends_loop)
    behind = cases.behind
    current = _next_case(rest, cases)
    alternative: Optional[MatchCase] = None
    before_default = True
    while current is not None:
        alternative = _add_case(made, current, alternative)
        case = case_of(current.test)
        before_default = case is None or case.before_default or not case.pops
        rest = [s for s in current.orelse if not isinstance(s, HeldHere) or any(h.crossed for h in s.held)]
        current = _next_case(rest, cases)
    if rest and not before_default and not any(falls_through(one.body) for one in made.cases):
        behind[:0] = rest
    elif rest:
        made.cases.append(_last_case(rest, subject))
    if cases.past:
        behind += [Break()] if falls_through(behind) else []
        return [While(Const(True), [made, *behind], [], offset)]
    return [made, *behind]


class _Cases:
    """The cases of `made`, as far as they are found, and what stands `behind` it. `ends_loop`: all that is the end of a loop's body;
    `past`: a `while True` around it is left to go past what stands behind."""

    __slots__ = ("subject", "made", "behind", "ends_loop", "past")

    def __init__(self, subject: Subject, made: Match, ends_loop: bool) -> None:
        self.subject = subject
        self.made = made
        self.behind: List[Stmt] = []
        self.ends_loop = ends_loop
        self.past = False


def _leaves_loop(code: List[Stmt]) -> bool:
    """Whether a loop around is left or goes on from here: no other may stand between."""
    return any(isinstance(s, (Break, Continue)) for current in all_lists(code, False) for s in current)


def _behind_match(rest: List[Stmt], cases: _Cases) -> List[Stmt]:
    """Takes out of `rest`, which begins with other cases, what follows them: it follows the whole match, if the cases before
    do not go on, or can be made not to: by `continue` at the end of a loop, or by leaving a `while True` around all."""
    subject, made = cases.subject, cases.made
    first = next((i for i, s in enumerate(rest) if _captured(s, subject) is None), 0)
    branch = rest[first] if rest else None
    if len(rest) <= first + 1 or not isinstance(branch, Branch) or not _begins_match(branch, subject):
        return []
    going_on = [one for one in made.cases if falls_through(one.body) and not _never_holds(one.guard)]
    if going_on and (cases.behind or not cases.ends_loop and _leaves_loop([made, *rest])):
        return []  # what follows only other cases must not be passed over, too
    for one in going_on:
        cases.past = not cases.ends_loop
        one.body = [*[s for s in one.body if not isinstance(s, Pass)], Break() if cases.past else Continue()]
    behind = rest[first + 1 :]
    del rest[first + 1 :]
    return behind


def _begins_match(branch: Branch, subject: Subject) -> bool:
    """Whether a branch tests for a case, or for nothing but the guard of one, which may be denied as yet."""
    if _tests_case(branch, subject) or branch.held:
        return _tests_case(branch, subject)
    if case_of(branch.test) is None and _tests_subject(branch.body, subject) and not _tests_subject(branch.orelse, subject):
        branch.test, branch.body, branch.orelse = negate(branch.test), branch.orelse, branch.body
    return _tests_subject(branch.orelse, subject)


def _add_case(made: Match, branch: Branch, alternative: Optional[MatchCase]) -> Optional[MatchCase]:
    """Adds the case that `branch` tests for. Returns it if the next one is an alternative to it."""
    from ..structuring.compare import same

    case = case_of(branch.test)
    assert case is not None
    body = branch.body or [Pass()]
    if alternative is not None and case.guard is None and same(alternative.body, body):
        alternative.pattern = MatchOr([*_alternatives(alternative.pattern), *_alternatives(case.pattern)])
    else:
        made.cases.append(MatchCase(case.pattern, case.guard, body))
    return made.cases[-1] if case.is_alternative and case.guard is None else None


def _alternatives(pattern: Pattern) -> List[Pattern]:
    return pattern.patterns if isinstance(pattern, MatchOr) else [pattern]


def _subject_value(subject: Subject, new_name: Callable[[], str]) -> Expr:
    if subject.match is None:
        return subject.value
    return _subject_name(subject, new_name)


def _subject_name(subject: Subject, new_name: Callable[[], str]) -> Name:
    """The subject again, behind the statement that evaluates it: through a name that it gets there."""
    assert subject.match is not None
    if subject.name is None:
        subject.name = new_name()
        named = NamedExpr(Name(subject.name), subject.value, subject.offset)
        if isinstance(subject.match, Match):
            subject.match.subject = named
        else:
            subject.match.value = named
    return Name(subject.name)


def _next_case(rest: List[Stmt], cases: _Cases) -> Optional[Branch]:
    """The branch on the next case; cases that take anything but for their guard are added on the way."""
    subject, made = cases.subject, cases.made
    while True:
        if len(rest) > 1 and _decides_nothing(rest[0], subject):
            made.cases.append(_never_taken(rest.pop(0)))
            continue
        never = 1 if rest and _captured(rest[0], subject) is not None else 0
        guard = rest[never] if len(rest) > never + 1 else None
        if isinstance(guard, Branch) and _only_tests(guard) and _tests_subject(rest[never + 1 :], subject):
            name = _captured(rest[0], subject)
            made.cases.append(MatchCase(MatchAs(None, name), make_and(guard.test, Const(False)), [Pass()]))
            del rest[: never + 1]
            continue
        cases.behind[:0] = _behind_match(rest, cases)
        name = _captured(rest[0], subject) if len(rest) > 1 else None
        if name is not None and (_captured(rest[1], subject) is not None or _tests_case(rest[1], subject)):
            made.cases.append(MatchCase(MatchAs(None, name), Const(False), [Pass()]))  # its guard never holds
            rest.pop(0)
            continue
        last = rest[-1] if rest else None
        if not isinstance(last, Branch):
            return None
        if len(rest) == 1 and case_of(last.test) is not None:
            return last if _tests_case(last, subject) else None
        if len(rest) > 2 or len(rest) > 1 and name is None or not _begins_match(last, subject):
            return None
        made.cases.append(MatchCase(MatchAs(None, name), last.test, last.body or [Pass()]))
        rest[:] = last.orelse


def _decides_nothing(statement: Stmt, subject: Subject) -> bool:
    """A case whose guard never holds: its pattern is tried all the same."""
    if not isinstance(statement, Branch) or statement.body or statement.orelse or statement.held:
        return False
    return _tests_case(statement, subject)


def _only_tests(statement: Stmt) -> bool:
    """A guard that never holds, of a case that takes everything."""
    if not isinstance(statement, Branch) or statement.body or statement.orelse or statement.held:
        return False
    return case_of(statement.test) is None


def _never_taken(statement: Stmt) -> MatchCase:
    assert isinstance(statement, Branch)
    case = case_of(statement.test)
    assert case is not None
    guard = Const(False) if case.guard is None else make_and(case.guard, Const(False))
    return MatchCase(case.pattern, guard, [Pass()])


def _never_holds(guard: Optional[Expr]) -> bool:
    if isinstance(guard, BoolOp) and guard.op == "and":
        guard = guard.values[-1]
    return isinstance(guard, Const) and guard.value is False


def _captured(statement: Stmt, subject: Subject) -> Optional[str]:
    if isinstance(statement, Assign) and statement.value is subject and len(statement.targets) == 1:
        target = statement.targets[0]
        return target.id if isinstance(target, Name) else None
    return None


def _tests_subject(code: List[Stmt], subject: Subject, position: int = 0) -> bool:
    """Whether `code` begins at `position` by trying a case of `subject`; cases that have but a guard may stand before it."""
    first: Optional[Stmt] = None
    for _ in range(_MOST_GUARDS):
        first = code[position] if position < len(code) else None
        if not isinstance(first, Branch) or case_of(first.test) is not None or first.held:
            break
        code, position = (code, position + 1) if _only_tests(first) else (first.orelse, 0)
    return first is not None and (_tests_case(first, subject) or _captured(first, subject) is not None)


def _tests_case(statement: Stmt, subject: Subject) -> bool:
    if not isinstance(statement, Branch) or case_of(statement.test) is None:
        return False
    return statement.test.operands[0] is subject  # type: ignore[attr-defined]


_MOST_GUARDS = 20


def _last_case(rest: List[Stmt], subject: Subject) -> MatchCase:
    name = _captured(rest[0], subject)
    if name is not None:
        return MatchCase(MatchAs(None, name), None, rest[1:] or [Pass()])
    return MatchCase(MatchAs(None, None), None, rest)
