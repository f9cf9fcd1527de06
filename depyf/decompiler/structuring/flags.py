"""The last resort for a jump that no statement expresses: a flag remembers it, and what it skips asks for the flag."""

from __future__ import annotations

from typing import List

from ..lifting.temporaries import Temporaries
from ..lifting.values import Local, Marker
from ..tree import Assign, Break, Const, Continue, For, Name, Stmt, Try, While, With
from .jumps import Branch, Jump, Label
from .logic import negate
from .walk import LOOPS, all_lists, child_lists, falls_through, jumps_to, keep_held, replace_jumps


def use_flag(code: List[Stmt], label: Label, new_name: Temporaries) -> None:
    """The last resort: remember that the jump was taken, and skip everything up to the label."""
    if (new_name.seen or _no_flag_fits(code, label)) and leave_block(code, label):
        return
    name = new_name()
    flag_jumps(code, label, name, [], new_name)
    insert_first(code, Assign([Name(name)], Const(False)))


def _no_flag_fits(code: List[Stmt], label: Label) -> bool:
    """Whether a jump leads out of an except*, where nothing could take the flag back on the way past its clauses, or out of
    a `finally`, whose exception only a jump drops."""
    found = [s for current in all_lists(code) for s in current if isinstance(s, Try)]
    return any(jumps_to([s] if s.star else s.finalbody, label) for s in found)


def leave_block(code: List[Stmt], label: Label) -> bool:
    """Jumps to what follows `code` become `break`: out of a `while True` around what they skip."""
    if any(jumps_to([inner], label) != jumps_to([inner], label, False) for inner in code):
        return False  # out of a loop of its own
    first = next((i for i, s in enumerate(code) if jumps_to([s], label)), len(code))
    if first == len(code):
        return False
    body = code[first:]
    if any(isinstance(s, Break) for current in all_lists(body, False) for s in current):
        return False
    replace_jumps(body, label, lambda jump: [Break(jump.offset, jump.line, jump.certain)])
    if falls_through(body):
        _break_at_end(body)
    code[first:] = [While(Const(True), body, [], code[first].offset)]
    return True


def as_else_of_block(code: List[Stmt], label: Label, behind: List[Stmt]) -> bool:
    """Only the body of a try leads to `behind`: that is its `else`, and a `while True` in the body is left for it. Around the
    try, the loop would keep the clauses from leading elsewhere."""
    last = code[-1] if code else None
    if not isinstance(last, Try) or last.orelse or last.finalbody or jumps_to(last.body, label) != label.uses:
        return False
    if any(falls_through(clause.body) for clause in last.clauses) or not leave_block(last.body, label):
        return False
    last.orelse = behind
    return True


def _break_at_end(body: List[Stmt]) -> None:
    """if a: <all that follows, which goes elsewhere> -> if not a: break; <all that follows>"""
    last = body[-1]
    if isinstance(last, Branch) and not last.body and not falls_through(last.orelse):
        last.body = [Break()]
    elif isinstance(last, Branch) and not last.orelse and not falls_through(last.body):
        last.test, last.body, last.orelse = negate(last.test), [Break()], last.body
    else:
        body.append(Break())


def insert_first(code: List[Stmt], statement: Stmt) -> None:
    """At the beginning, but behind the store of a loop's item, a manager's value or a caught exception."""
    first = code[0] if code else None
    stores = isinstance(first, Assign) and isinstance(first.value, Marker)
    code.insert(1 if stores else 0, statement)


def continue_by_flag(body: List[Stmt], label: Label, new_name: Temporaries) -> None:
    """`continue` of an outer loop from inside an inner one."""
    name = new_name()
    flag_jumps(body, label, name, [], new_name)
    insert_first(body, Assign([Name(name)], Const(False)))


def flag_jumps(code: List[Stmt], label: Label, name: str, leave: List[Stmt], new_name: Temporaries) -> bool:
    """Sets the flag instead of jumping; `leave` is what leaves the loop that `code` stands in."""
    for index, statement in enumerate(code):
        if isinstance(statement, Jump) and statement.label is label:
            label.uses -= 1
            code[index:] = [*keep_held(statement), Assign([Name(name)], Const(True)), *leave]
            return True
        if not jumps_to([statement], label):
            continue
        if isinstance(statement, Try) and not leave and jumps_to(statement.finalbody, label):
            statement = code[index] = _to_be_left(statement)
        loop = isinstance(statement, LOOPS)
        if isinstance(statement, Try) and jumps_to(statement.body, label):
            for clause in statement.clauses:  # an exception on the way out: the jump was not taken after all
                clause.body.insert(0, Assign([Name(name)], Const(False)))
        if isinstance(statement, With) and not leave and _cleans_up(statement.body, label):
            _flag_in_steps(code, index, statement, label, name, new_name)
            return True
        past_else = isinstance(statement, Try) and bool(statement.orelse) and not leave and bool(jumps_to(statement.body, label))
        for inner in child_lists(statement):
            in_else = isinstance(statement, (While, For)) and inner is statement.orelse
            flag_jumps(inner, label, name, [Break()] if loop and not in_else else leave, new_name)
        if past_else:  # a jump out of the body does not lead to the else
            assert isinstance(statement, Try)
            statement.orelse = [Branch(negate(Local(name)), statement.orelse, [], [], -1, None)]
        _skip_rest(code, index, label, name, leave, new_name)
        return True
    return False


def _to_be_left(statement: Try) -> Stmt:
    """A `while True` around a try, if nothing in it leaves a loop around it: its `finally` drops an exception by `break`."""
    if any(isinstance(s, (Break, Continue)) for current in all_lists([statement], False) for s in current):
        return statement
    body: List[Stmt] = [statement, Break()] if falls_through([statement]) else [statement]
    return While(Const(True), body, [], statement.offset)


def _skip_rest(
    code: List[Stmt], index: int, label: Label, name: str, leave: List[Stmt], new_name: Temporaries
) -> None:
    """What stands behind the statement at `index` asks for the flag that may have been set in it."""
    rest = code[index + 1 :]
    del code[index + 1 :]
    if not falls_through(code):
        code.extend(rest)
    elif leave:
        code.append(Branch(Local(name), list(leave), [], [], -1, None))
        code.extend(rest)
        if jumps_to(rest, label):
            flag_jumps(code, label, name, leave, new_name)
    elif rest:
        if jumps_to(rest, label):
            flag_jumps(rest, label, name, leave, new_name)
        code.append(Branch(negate(Local(name)), rest, [], [], -1, None))


def _cleans_up(body: List[Stmt], label: Label) -> bool:
    """Whether a jump out of a `with` leaves something else first, which may raise: the `with` may suppress that."""
    statements = (s for current in all_lists(body) for s in current)
    return any((isinstance(s, With) or isinstance(s, Try) and s.finalbody) and jumps_to([s], label) for s in statements)


def _flag_in_steps(
    code: List[Stmt], index: int, statement: With, label: Label, name: str, new_name: Temporaries
) -> None:
    """The flag is set where nothing but the `with` itself is left to leave; up to there another one remembers the jump."""
    step = new_name()
    flag_jumps(statement.body, label, step, [], new_name)
    statement.body.append(Branch(Local(step), [Assign([Name(name)], Const(True))], [], [], -1, None))
    _skip_rest(code, index, label, name, [], new_name)
    code.insert(index, Assign([Name(step)], Const(False)))
