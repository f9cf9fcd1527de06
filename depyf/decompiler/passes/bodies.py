"""Modules and class bodies have no `return`: where theirs stood, the text just ends."""

from __future__ import annotations

from typing import List

from ..tree import For, If, Match, Return, Stmt, Try, While, With


def drop_returns(statements: List[Stmt]) -> None:
    """Drops each return from which nothing but the end of the body would follow."""
    work = [statements]
    while work:
        current = work.pop()
        if current and isinstance(current[-1], Return):
            current.pop()
        last = current[-1] if current else None
        if isinstance(last, If):
            work.extend((last.body, last.orelse))
        elif isinstance(last, (For, While)):
            work.append(last.orelse)
        elif isinstance(last, With):
            work.append(last.body)
        elif isinstance(last, Match):
            work.extend(case.body for case in last.cases)
        elif isinstance(last, Try):
            work.append(last.orelse or last.body)
            work.extend(clause.body for clause in last.clauses)
            work.append(last.finalbody)
