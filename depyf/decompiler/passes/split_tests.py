"""if not a or b: continue, whose first test goes on with the loop at once (up to 3.9), is one `if` again.

It comes out as `if a:` around all the rest, with `if b: continue` inside; but two ifs, one inside the other, never share a line.
"""

from __future__ import annotations

from typing import List

from ..marks import Lines
from ..structuring.logic import deny, make_or
from ..structuring.walk import all_lists
from ..tree import Continue, For, If, Stmt, While


def join_split_tests(statements: List[Stmt], lines: Lines) -> None:
    for current in all_lists(statements):
        for statement in current:
            if isinstance(statement, (For, While)):
                _join_at_end(statement.body, lines)


def _join_at_end(body: List[Stmt], lines: Lines) -> None:
    """At the end of a loop's body, or of a branch that ends it: there, going on and falling off the end are the same."""
    while body:
        last = body[-1]
        if not isinstance(last, If):
            return
        inner = last.body[0] if len(last.body) > 1 and not last.orelse else None
        if isinstance(inner, If) and _only_continues(inner) and _on_one_line(last, inner, lines):
            inner.test = make_or(deny(last.test), inner.test)
            body[-1:] = last.body
        else:
            body = last.orelse or last.body


def _only_continues(branch: If) -> bool:
    return not branch.orelse and len(branch.body) == 1 and isinstance(branch.body[0], Continue)


def _on_one_line(outer: If, inner: If, lines: Lines) -> bool:
    line = lines.get(outer.offset)
    return line is not None and line == lines.get(inner.offset)
