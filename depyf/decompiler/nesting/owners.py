"""Annotations of attributes and items, and those that are never reached: all that is left of them is what they declare."""

from __future__ import annotations

from typing import Any, List, Optional

from depyf.bytecode.codes import annotations_are_text

from ..lifting.values import resolve
from ..passes.bodies import stored_last
from ..structuring.walk import all_lists
from ..tree import (
    AnnAssign,
    Assign,
    Attr,
    Binary,
    Const,
    Expr,
    ExprStmt,
    If,
    IfExp,
    Item,
    Name,
    Return,
    Stmt,
    Tuple_,
    TypeAlias,
)
from .dead import USES_OF_CELLS


def keep_one(body: Any) -> None:
    """Only annotations that leave nothing behind (of attributes, as text, or never reached) made the mapping."""
    for current in all_lists(body.statements):
        for index, statement in enumerate(current):
            if isinstance(statement, Assign) and len(statement.targets) == 1 and annotations_are_text(body.code):
                target = statement.targets[0]
                if isinstance(target, (Attr, Item)):
                    made = AnnAssign(target, Name("object"), statement.value, False, statement.offset)
                    current[index] = made
                    return
    _add_unreached(body, AnnAssign(Name("_"), Name("object"), None, True))


def keep_set(body: Any, had_set: bool, in_class: bool) -> None:
    """Since 3.14: annotations of attributes and items alone leave nothing behind but the empty set, if they are
    conditional, and the namespace of a class; so does whatever needs it and is never reached."""
    if _annotate_owner(body, Name("object"), had_set if in_class else None):
        return
    if had_set:
        _add_unreached(body, AnnAssign(Attr(Name("_"), "_"), Name("object"), None, False))
    else:
        keep_namespace(body)


def keep_namespace(body: Any) -> None:
    """A class keeps its namespace for whatever is never reached and needs it."""
    _add_unreached(body, TypeAlias("_", [], Name("object")))


def _annotate_owner(body: Any, annotation: Expr, nested: Optional[bool]) -> bool:
    """Annotates the first attribute or item that is assigned, at the top level or `nested`. Whether there is one."""
    for current in all_lists(body.statements):
        if nested is (current is body.statements):
            continue  # at the top level of a class nothing is conditional
        for index, statement in enumerate(current):
            if isinstance(statement, Assign) and len(statement.targets) == 1:
                target = statement.targets[0]
                if isinstance(target, (Attr, Item)):
                    current[index] = AnnAssign(target, annotation, statement.value, False, statement.offset)
                    return True
    return False


def keep_captured(body: Any, annotate: Any, had_set: bool, numbered: bool) -> None:
    """What the function that computes annotations captures and does not use: an annotation of an attribute names it."""
    used = {i.arg for block in annotate.body.regions.graph.blocks for i in block.instructions if i.op in USES_OF_CELLS}
    names: List[Expr] = [Name(name) for name in annotate.code.co_freevars if name not in used]
    if not names:
        return
    annotation = names[0] if len(names) == 1 else Tuple_(names)
    if not _annotate_owner(body, annotation, None if numbered else had_set):
        for current in all_lists(body.statements):
            for statement in current:
                if isinstance(statement, AnnAssign) and statement.simple:
                    statement.annotation = IfExp(Const(True), statement.annotation, annotation)
                    return


def _add_unreached(body: Any, statement: Stmt) -> None:
    """At the end, where it separates no docstring and no future import from the beginning."""
    position = len(body.statements)
    while position and is_epilogue(body.statements[position - 1]):
        position -= 1
    body.statements.insert(position, If(Const(False), [statement], []))


_PLAIN = (Name, Attr, Item, Const, Binary)


def annotate_owners(body: Any) -> None:
    """`a.b: T = v` evaluates T after the assignment and forgets it: on one line, nobody writes that otherwise."""
    for current in all_lists(body.statements):
        for index in range(len(current) - 1, 0, -1):
            before, statement = current[index - 1], current[index]
            if not isinstance(statement, ExprStmt) or not isinstance(resolve(statement.value), _PLAIN):
                continue
            if not isinstance(before, Assign) or len(before.targets) != 1:
                continue
            target = before.targets[0]
            if isinstance(target, (Attr, Item, Name)) and _known_line(body, before.offset, statement.offset):
                made = AnnAssign(target, statement.value, before.value, False, before.offset)
                current[index - 1 : index + 1] = [made]


def _known_line(body: Any, one: int, other: int) -> bool:
    line = body.lines.get(one)
    return line is not None and line == body.lines.get(other)


def is_epilogue(statement: Stmt) -> bool:
    return isinstance(statement, Return) or stored_last(statement)
