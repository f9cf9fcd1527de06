"""Returns that stood behind the statement they were copied into: a loop that `break` leaves, a try whose clauses leave.

A return whose line comes behind everything in a loop, and which something of the loop follows in the text, was not written
there; where nothing follows it, columns tell. Nor was a return inside a try whose line comes behind the clauses. The meaning is
the same.
"""

from __future__ import annotations

from typing import Iterator, List, Tuple, Union

from ..marks import Lines
from ..structuring.compare import same
from ..structuring.labels import has_break
from ..structuring.walk import all_lists, falls_through
from ..tree import Break, Const, For, If, Pass, Return, Stmt, Try, While
from .indents import Indents
from .jumps_behind import arms_of

Place = Tuple[List[Stmt], int]


def take_out_of_tries(statements: List[Stmt], lines: Lines) -> None:
    """try: a(); return 1, except b: return 2, where the first return has the last line: it stood behind the statement."""
    for current in all_lists(statements):
        last = current[-1] if current else None
        if isinstance(last, Try) and last.clauses and not last.star and not falls_through([last]):
            returned = (last.orelse or last.body)[-1]
            if _is_constant(returned) and _is_behind_all(returned, last, lines):
                _drop_copies(last.orelse or last.body, returned, lines)
                current.append(returned)


def _is_constant(statement: Stmt) -> bool:
    return isinstance(statement, Return) and isinstance(statement.value, Const)


def _is_behind_all(returned: Stmt, statement: Try, lines: Lines) -> bool:
    line = lines.get(returned.offset)
    inside = [lines.get(s.offset) or 0 for clause in statement.clauses for some in all_lists(clause.body) for s in some]
    return line is not None and line > max(inside)


def _drop_copies(body: List[Stmt], returned: Stmt, lines: Lines) -> None:
    """The return at the end of a body, and those at the ends of what it follows. One line may return different constants."""
    line = lines.get(returned.offset)
    work = [body]
    while work:
        current = work.pop()
        if same(current[-1], returned) and lines.get(current[-1].offset) == line:
            current.pop()
            if current:
                work += [arm for arm in arms_of(current[-1]) if arm]
            else:
                current.append(Pass())


def write_breaks(statements: List[Stmt], lines: Lines, indents: Indents) -> None:
    for current in reversed([*all_lists(statements)]):
        for index in range(len(current) - 1, -1, -1):
            loop = current[index]
            if isinstance(loop, (For, While)):
                last = current[max(index + 1, len(current) - 1) :]  # of what follows the loop
                found = _returned_behind(loop, current, index, lines, indents) if _may_be_else(loop, last) else []
                if found:
                    place, position = found[0]
                    loop.orelse = loop.orelse or current[index + 1 :]
                    current[index + 1 :] = [place[position]]
                for place, position in found:
                    place[position] = Break(place[position].offset)


def _may_be_else(loop: Union[For, While], last: List[Stmt]) -> bool:
    """Whether a loop is left by returning or through what follows it, which leaves: that is the same as its `else`. `last` is the last
    statement of what follows."""
    if not last and not falls_through([loop]):
        return True
    leaves = not falls_through(last) if last and not loop.orelse else not last and not falls_through(loop.orelse)
    return leaves and not has_break(loop)


def _returned_behind(loop: Union[For, While], current: List[Stmt], index: int, lines: Lines, indents: Indents) -> List[Place]:
    """The returns in a loop's body, outside of all but ifs, that are copies of one behind the loop, which stands there in `current`."""
    places = [*_returns(loop.body)]
    line = max([lines.get(place[index].offset) or 0 for place, index in places], default=0)
    found = [(place, index) for place, index in places if lines.get(place[index].offset) == line]
    if not found or not all(same(place[index], found[0][0][found[0][1]]) for place, index in found[1:]):
        return []  # behind a `finally` all returns have one line, and so have those of `return a if b else c`
    copies = {id(place[index]) for place, index in found}
    body = [lines.get(s.offset) or 0 for some in all_lists(loop.body) for s in some if id(s) not in copies]
    first = max(body + [lines.get(loop.offset) or 0])
    if first >= line:
        return []  # a return that nobody wrote has the line of the loop
    if not loop.orelse and index + 1 < len(current) and (lines.get(current[index + 1].offset) or 0) > line:
        return []  # at once: the rest of the function may be long
    behind = loop.orelse or current[index + 1 :]
    between = (first < (lines.get(s.offset) or 0) < line for some in all_lists(behind) for s in some if id(s) not in copies)
    if not all(between):
        return []
    last = _last_in_text(behind or loop.body)
    return found if id(last) not in copies or indents.stands_outside(loop.body, line) else []


def _returns(body: List[Stmt]) -> Iterator[Place]:
    work = [body]
    while work:
        current = work.pop()
        if current and isinstance(current[-1], Return):
            yield current, len(current) - 1
        for statement in current:
            if isinstance(statement, If):
                work += [statement.orelse, statement.body]


def _last_in_text(statements: List[Stmt]) -> Stmt:
    last = statements[-1]
    while isinstance(last, If):
        last = (last.orelse or last.body)[-1]
    return last
