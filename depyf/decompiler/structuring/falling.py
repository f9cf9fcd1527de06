"""Jumps and the clauses they leave: what a clause falls to stands behind the try, and a jump that was written in it stays there.

`try: ...; except E as e: ...` and then `break`: the compiler lets both ways jump at once. A `break` inside the clause would do
the same, but for when the name is deleted (see `prepare.clauses`), which whoever looks at a module's names can tell.
"""

from __future__ import annotations

from typing import List

from ..tree import Break, Const, Stmt, Try, While
from .jumps import End, Jump, Label, TryRegion
from .walk import all_lists, arms_at_end, falls_through, is_endless, keep_held


def fall_off(code: List[Stmt]) -> None:
    """`code` ends in a try of which all ways go elsewhere: where its clauses fall to, a jump behind it goes."""
    last = code[-1] if code else None
    if not isinstance(last, Try) or not last.clauses or falls_through([last]):
        return
    falling = [tail[-1] for clause in last.clauses for tail in _tails(clause.body) if isinstance(tail[-1], Jump)]
    labels = {jump.label for jump in falling if jump.falls and not jump.back}
    if len(labels) != 1:
        return
    label = labels.pop()
    if label.entry_parameters():
        return
    work = _tails(code)
    for tail in work:
        jump = tail[-1]
        if isinstance(jump, Jump) and jump.label is label and not jump.certain:
            tail[-1:] = keep_held(jump)
            label.uses -= 1
            behind = Jump(label, jump.stack, [], jump.offset, None)
            work += _tails(tail)  # what stood before it, such as a `with`, ends there now
    label.uses, label.fallen_to = label.uses + 1, False
    code.append(behind)


def loop_around(statement: Try) -> Stmt:
    """try: while True: ...; except E as e: <a jump that was written>: the loop stands around the try, and the jump leaves it."""
    loop = statement.body[0] if len(statement.body) == 1 else None
    if not isinstance(loop, While) or not is_endless(loop) or any(falls_through(c.body) for c in statement.clauses):
        return statement
    jumps = [s for c in statement.clauses for current in all_lists(c.body) for s in current if isinstance(s, Jump)]
    if not any(jump.certain for jump in jumps) or any(jump.back for jump in jumps):  # those repeat a loop that is there
        return statement
    statement.body, loop.body = loop.body, [statement]
    return loop


def keep_written_jumps(region: TryRegion, reached: List[Label]) -> bool:
    """In a `finally` that never ends: jumps that were written in its clauses stay, and lead anywhere the `finally` leads. Where
    that only raises they become `break`, and the result is whether there are any: it is to stand in a `while True`."""
    leaving = [s for current in all_lists(region.catch) for s in current if isinstance(s, (Jump, End))]
    onward = next((s for s in leaving if isinstance(s, End) or not s.label.entry_parameters()), None)
    wrapped = False
    for current in all_lists(region.body):
        jump = current[-1] if current else None
        if not isinstance(jump, Jump) or not jump.certain or jump.label not in reached:
            continue
        jump.label.uses -= 1
        current[-1:] = keep_held(jump)
        if isinstance(onward, Jump):
            onward.label.uses += 1
            current.append(Jump(onward.label, onward.stack, [], jump.offset, jump.line))
        else:
            wrapped = wrapped or onward is None
            current.append(Break(jump.offset, jump.line, jump.certain) if onward is None else End(Const(None), jump.offset))
    return wrapped


def lead_to_one_place(body: List[Stmt], reached: List[Label]) -> None:
    """Nothing is left of where control was going: jumps to any of the labels may lead to the first, so that one jump may stand
    right before another, as those of an except* do, and be none."""
    for current in all_lists(body) if len(reached) > 1 else ():
        for statement in current:
            if isinstance(statement, Jump) and statement.label in reached[1:]:
                statement.label.uses -= 1
                statement.label = reached[0]
                statement.label.uses += 1


def all_fall(code: List[Stmt], label: Label) -> bool:
    """Whether all jumps to a label stand where control would fall to the end of `code`."""
    ends = [tail[-1] for tail in _tails(code)]
    return label.uses == sum(1 for end in ends if isinstance(end, Jump) and end.label is label)


def _tails(code: List[Stmt]) -> List[List[Stmt]]:
    """The lists at whose ends control would fall to the end of `code`."""
    found: List[List[Stmt]] = []
    work = [code]
    while work:
        current = work.pop()
        inner = arms_at_end(current)
        work += inner
        if current and not inner:
            found.append(current)
    return found
