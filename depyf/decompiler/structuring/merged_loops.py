"""Endless loops that begin with another one: one loop, since to repeat the inner one is to repeat the outer one.

    while True:
        try:
            while True:
                if a: <jump behind both>
                if b: break
        except E:
            c

is the same with `if not b: continue` and without the inner loop, where `break` leads behind both. A loop that begins the body of a
try may stand around the try for the same reason, and the other way round where its clauses never go on with the loop.
"""

from __future__ import annotations

from typing import List, Optional, Tuple

from ..tree import Break, Const, Continue, Stmt, Try, While
from .jumps import End, Jump, Label
from .nested_breaks import end_inside, fall_off_instead, leave_in_tries
from .walk import all_lists, arms_at_end, falls_through, has_no_test, jumps_to


def merge_loops(code: List[Stmt], label: Label) -> None:
    """Jumps to `label`, where control falls off `code`, stand in one endless loop less where they can."""
    for current in list(all_lists(code)):
        for statement in current:
            if isinstance(statement, While) and has_no_test(statement):
                _take_apart(_first_loop(statement.body), label)
        for index, statement in enumerate(current):
            if isinstance(statement, While) and has_no_test(statement) and not statement.orelse:
                current[index] = _try_around_loop(statement, label)
    work = [code]
    while work:
        current = work.pop()
        if not _loop_around_try(current, label):
            work += [arm for arm in arms_at_end(current) if jumps_to(arm, label)]
    end_inside(code, label)
    leave_in_tries(code, label)


def _first_loop(code: List[Stmt]) -> Optional[Tuple[List[Stmt], While]]:
    """The endless loop that `code` begins with, and the list that it stands in: to begin a try is to begin its body,
    which a `finally` would follow each time."""
    while code and isinstance(code[0], Try) and not code[0].finalbody:
        code = code[0].body
    first = code[0] if code else None
    return (code, first) if isinstance(first, While) and has_no_test(first) else None


def _take_apart(found: Optional[Tuple[List[Stmt], While]], label: Label) -> bool:
    """Puts the body of a loop in its place, if a jump to `label` stands in it."""
    if found is None:
        return False
    code, loop = found
    if not jumps_to(loop.body, label, False) or not fall_off_instead(loop):
        return False
    code[:1] = loop.body
    return True


def _try_around_loop(loop: While, label: Label) -> Stmt:
    """while True: try: ...; and clauses that lead to `label` and never repeat the loop: these may as well stand behind it."""
    inner = loop.body[0] if len(loop.body) == 1 else None
    if not isinstance(inner, Try) or inner.star or inner.orelse or inner.finalbody:
        return loop
    handling = [s for clause in inner.clauses for inside in all_lists(clause.body, False) for s in inside]
    if not any(jumps_to(clause.body, label) for clause in inner.clauses) or any(isinstance(s, (Break, Continue)) for s in handling):
        return loop
    if any(falls_through(clause.body) for clause in inner.clauses):
        return loop
    loop.body, inner.body = inner.body, [loop]
    return inner


def _loop_around_try(code: List[Stmt], label: Label) -> bool:
    for index, statement in enumerate(code):
        if not isinstance(statement, Try) or not jumps_to([statement], label):
            continue
        leaving = (s for inside in all_lists(code[index:], False) for s in inside)  # loops around
        if any(isinstance(s, (Break, Continue, End)) for s in leaving) or not _take_apart(_first_loop([statement]), label):
            return False
        body = code[index:]
        jump = next(s for inside in all_lists(body) for s in inside if isinstance(s, Jump) and s.label is label)
        if falls_through(body):
            label.uses += 1
            body.append(Jump(label, jump.stack, [], jump.offset, None))
        code[index:] = [While(Const(True), body, [], statement.offset)]
        return True
    return False
