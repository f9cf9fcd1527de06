"""Annotated assignments of modules and classes, from what the compiler makes of them.

Up to 3.13, and under `from __future__ import annotations`, each is an item of __annotations__ stored where it stands.
Since 3.14 a function computes all of them: a mark says where a conditional one stands, line numbers where the others do.
"""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Set, Tuple

from depyf.bytecode.codes import (
    CONDITIONAL_ANNOTATIONS,
    annotations_are_deferred,
    annotations_are_text,
    annotations_in_match_count,
    functions_keep_namespace,
    is_class_body,
)

from ..emit.names import is_legal
from ..lifting.values import Function, Value, resolve
from ..structuring.jumps import AnnotationMark
from ..structuring.logic import always, behind
from ..structuring.walk import all_lists, child_lists
from ..tree import (
    AnnAssign,
    Assign,
    Attr,
    Binary,
    Compare,
    Const,
    Expr,
    If,
    Item,
    Match,
    Name,
    Pass,
    Raise,
    Stmt,
    Verbatim,
)
from .annotation_texts import written
from .class_ends import raise_end
from .numbered import UNKNOWN, number_annotations
from .owners import annotate_owners, is_epilogue, keep_captured, keep_namespace, keep_one, keep_set

NAMESPACE = "__classdict__"
_NAMES = frozenset((NAMESPACE, CONDITIONAL_ANNOTATIONS))


class AnnotationEntry(Stmt):
    """Inside the function that computes annotations: that of `name`."""

    __slots__ = ("name", "annotation")

    def __init__(self, name: str, annotation: Expr, offset: int) -> None:
        self.name = name
        self.annotation = annotation
        self.offset = offset


class Annotation(NamedTuple):
    """One annotation of a body: its number if it is conditional, and the line it stands on if that is known."""

    name: str
    value: Expr
    number: Optional[int]
    line: Optional[int]


def is_conditional_set(value: Expr) -> bool:
    return isinstance(value, Name) and value.id == CONDITIONAL_ANNOTATIONS


def restore_annotations(assembler: Any, unit: Any) -> None:
    """Puts the annotations of a module or class back into its statements; `unit` is not yet tidied."""
    body = unit.body
    eager = "SETUP_ANNOTATIONS" in body.regions.graph.ops
    if not eager and not _may_be_annotated(unit):
        return
    if eager:
        _restore_items(body, annotations_are_text(unit.code))
    if not eager and is_class_body(unit.code):
        raise_end(body, lambda one: _annotate_in(assembler, one) is not None, lambda one: isinstance(one, AnnotationMark))
    had_set = any(_assigns(statement, CONDITIONAL_ANNOTATIONS) for statement in body.statements)
    function = _take_annotate(assembler, body.statements)
    if function is not None:
        found = entries_of(assembler.units[id(function)].body)
        by_index = {a.number: a for a in found if a.number is not None}
        number_annotations(body, by_index, *_replace_marks(body, by_index))
        if is_class_body(unit.code):
            _nest_conditional(body.statements)
        _place_by_line(body, [a for a in found if a.number is None])
        if is_class_body(unit.code):
            keep_captured(body, assembler.units[id(function)], had_set, bool(by_index))
    elif any(isinstance(s, AnnotationMark) for current in all_lists(body.statements) for s in current):
        by_index = _lost_annotations(body)
        number_annotations(body, by_index, *_replace_marks(body, by_index))
        _nest_conditional(body.statements)
    elif not eager and (had_set or _has_unused_namespace(unit)) and annotations_are_deferred(unit.code):
        keep_set(body, had_set, is_class_body(unit.code))
    elif _has_unused_namespace(unit):
        keep_namespace(body)
    if eager and not unit.code.co_flags & 1:  # an annotation would make the mapping, but for one inside `match`
        annotate_owners(body)


def _may_be_annotated(unit: Any) -> bool:
    """Whether anything of what annotations leave is there: the function that computes them, or the names that it needs."""
    if any(function.code.co_name == "__annotate__" for function, _ in unit.functions):
        return True
    code = unit.code
    return not _NAMES.isdisjoint((*code.co_names, *code.co_cellvars, *code.co_freevars))


def _has_unused_namespace(unit: Any) -> bool:
    """Whether a class keeps its namespace for annotations although nothing in it, as far as it is reached, needs it."""
    from ..lifting.stores import Define

    if NAMESPACE not in unit.code.co_cellvars:
        return False
    for block in unit.body.regions.graph.blocks:
        for one, following in zip(block.instructions, block.instructions[1:]):
            if one.op == "LOAD_CLOSURE" and one.arg == NAMESPACE and following.arg != "__classdictcell__":
                return False
    if not functions_keep_namespace():
        return True
    defined = (s for current in all_lists(unit.body.statements) for s in current if isinstance(s, Define))
    return not any(isinstance(s.definition, Function) for s in defined)


def as_text(value: Expr) -> Expr:
    """Under the future import the bytecode holds the annotation's text; written as a string it would be quoted again."""
    inner = resolve(value)
    if isinstance(inner, Const) and isinstance(inner.value, str):
        return Verbatim(written(inner.value), inner.offset)
    return value


# ---------------------------------------------------------------- items of __annotations__


def _restore_items(body: Any, texts: bool) -> None:
    count = 0
    silent = set() if annotations_in_match_count() else _inside_match(body.statements)
    for current in all_lists(body.statements):
        index = 0
        while index < len(current):
            statement = current[index]
            name = _annotated_name(statement)
            if name is None:
                index += 1
                continue
            assert isinstance(statement, Assign)
            value = as_text(statement.value) if texts else statement.value
            index = _annotate(body, current, index, name, value) + 1
            count += id(current) not in silent
    if not count:
        keep_one(body)


def _inside_match(statements: List[Stmt]) -> Set[int]:
    """The lists of statements inside some `match`, by identity."""
    matches = [s for current in all_lists(statements) for s in current if isinstance(s, Match)]
    return {id(inner) for one in matches for case in one.cases for inner in all_lists(case.body)}


def _annotated_name(statement: Stmt) -> Optional[str]:
    """The `x` of __annotations__['x'] = ..."""
    if not isinstance(statement, Assign) or len(statement.targets) != 1:
        return None
    target = statement.targets[0]
    if not isinstance(target, Item) or not isinstance(target.value, Name) or target.value.id != "__annotations__":
        return None
    key = resolve(target.key)
    named = isinstance(key, Const) and isinstance(key.value, str) and is_legal(key.value)
    return key.value if named else None  # type: ignore[attr-defined]


def _annotate(body: Any, current: List[Stmt], index: int, name: str, annotation: Expr) -> int:
    """The statement at `index` annotates `name`: makes it one with the assignment before it. Returns its new place."""
    offset = current[index].offset
    before = current[index - 1] if index else None
    if before is not None and _assigns(before, name) and _same_line(body, before.offset, offset):
        assert isinstance(before, Assign)
        made = AnnAssign(Name(name), annotation, before.value, True, before.offset)
        current[index - 1 : index + 1] = [made]
        return index - 1
    current[index] = AnnAssign(Name(name), annotation, None, True, offset)
    return index


def _assigns(statement: Stmt, name: str) -> bool:
    if not isinstance(statement, Assign) or len(statement.targets) != 1:
        return False
    target = statement.targets[0]
    return isinstance(target, Name) and target.id == name


def _same_line(body: Any, one: int, other: int) -> bool:
    first, second = body.lines.get(one), body.lines.get(other)
    return first is None or second is None or first == second


# ---------------------------------------------------------------- a function that computes them


def is_annotate(assembler: Any, function: Function) -> bool:
    """Whether the compiler made this function, not a person: it raises the interpreter's own NotImplementedError."""
    unit = assembler.units.get(id(function))
    return unit is not None and function.code.co_name == "__annotate__" and any(
        i.op == "BUILTIN" and i.arg == "NotImplementedError"
        for block in unit.body.regions.graph.blocks
        for i in block.instructions
    )


def _take_annotate(assembler: Any, statements: List[Stmt]) -> Optional[Function]:
    """Takes the function that computes the annotations, and the set of those that were met, out of a body."""
    found: Optional[Function] = None
    for index in range(len(statements) - 1, -1, -1):
        statement = statements[index]
        if _assigns(statement, CONDITIONAL_ANNOTATIONS):
            del statements[index]
            continue
        function = _annotate_in(assembler, statement)
        if function is not None:
            found = function
            del statements[index]
    return found


def _annotate_in(assembler: Any, statement: Stmt) -> Optional[Function]:
    """The function that computes annotations, if this statement keeps it."""
    from ..lifting.stores import Define

    value: Optional[Expr] = None
    if isinstance(statement, Define):
        value = statement.definition
    elif isinstance(statement, Assign) and len(statement.targets) == 1:
        value = statement.value
    return value if isinstance(value, Function) and is_annotate(assembler, value) else None


def entries_of(body: Any) -> List[Annotation]:
    """The annotations that a body of AnnotationEntry statements computes, in order."""
    found: List[Annotation] = []
    tests: List[Expr] = []
    work: List[Any] = [(statement, None) for statement in reversed(body.statements)]
    while work:
        statement, index = work.pop()
        if isinstance(statement, AnnotationEntry):
            line = body.lines.get(_first_offset(statement.annotation))
            value = statement.annotation
            while tests:
                value = behind(always(tests.pop()), value)
            found.append(Annotation(statement.name, value, index, line))
            continue
        if isinstance(statement, If) and not statement.orelse and all(isinstance(one, Pass) for one in statement.body):
            tests.append(statement.test)  # it decides nothing: `a if b or True else c` keeps the test of `b`
        inner = _conditional_index(statement)
        for inside in reversed(child_lists(statement)):
            work.extend((one, index if inner is None else inner) for one in reversed(inside))
    return found


def _conditional_index(statement: Stmt) -> Optional[int]:
    if not isinstance(statement, If) or isinstance(statement.body[0], Raise):
        return None
    test = resolve(statement.test)
    if not isinstance(test, Compare) or not is_conditional_set(test.comparators[0]):
        return None
    number = resolve(test.left)
    return number.value if isinstance(number, Const) else None


def _first_offset(value: Expr) -> int:
    """The offset of what is evaluated first."""
    while True:
        if isinstance(value, Value):
            inner = resolve(value)
            if inner is value:
                return value.offset
            value = inner
        elif isinstance(value, (Attr, Item)):
            value = value.value
        elif isinstance(value, Binary):
            value = value.left
        else:
            return value.offset


def _replace_marks(body: Any, by_index: Dict[int, Annotation]) -> Tuple[Dict[int, int], Dict[int, Dict[int, int]]]:
    """Puts annotations where the marks are; their numbers, and those of their copies, by the identity of the statements."""
    numbers: Dict[int, int] = {}
    copies: Dict[int, Dict[int, int]] = {}
    for current in all_lists(body.statements):
        index = 0
        while index < len(current):
            statement = current[index]
            if isinstance(statement, AnnotationMark):
                annotation = by_index[statement.index]
                index = _annotate(body, current, index, annotation.name, annotation.value)
                numbers[id(current[index])] = statement.index
                copies[id(current[index])] = statement.copies
            index += 1
    return numbers, copies


def _lost_annotations(body: Any) -> Dict[int, Annotation]:
    """By their numbers, those of a class whose end is never reached: nothing computes them, so that any will do."""
    names: Dict[int, str] = {}
    for current in all_lists(body.statements):
        for before, statement in zip([None, *current], current):
            if isinstance(statement, AnnotationMark):
                names[statement.index] = _name_assigned(body, before, statement) or UNKNOWN
    return {n: Annotation(names.get(n, UNKNOWN), Name("object"), n, None) for n in range(max(names) + 1)}


def _name_assigned(body: Any, before: Optional[Stmt], mark: Stmt) -> Optional[str]:
    """The name that the assignment before a mark is to, if both are of one statement."""
    if not isinstance(before, Assign) or len(before.targets) != 1 or not isinstance(before.targets[0], Name):
        return None
    return before.targets[0].id if _same_line(body, before.offset, mark.offset) else None


def _nest_conditional(statements: List[Stmt]) -> None:
    """At the top level of a class no annotation is conditional: what stood around this one decided nothing."""
    for index, statement in enumerate(statements):
        if isinstance(statement, AnnAssign):
            statements[index] = If(Const(True), [statement], [])


def _place_by_line(body: Any, found: List[Annotation]) -> None:
    """Unconditional annotations stand at the top level of a class, in the order in which they are computed."""
    statements = body.statements
    position = _after_prologue(statements)
    for annotation in found:
        place = _assignment_of(body, statements, position, annotation)
        if place is not None:
            assignment = statements[place]
            assert isinstance(assignment, Assign)
            statements[place] = AnnAssign(
                Name(annotation.name), annotation.value, assignment.value, True, assignment.offset
            )
            position = place + 1
            continue
        position = _place_for_line(body, statements, position, annotation.line)
        statements.insert(position, AnnAssign(Name(annotation.name), annotation.value, None, True))
        position += 1


def _after_prologue(statements: List[Stmt]) -> int:
    """Behind what every class body begins with: a docstring must stay the first statement."""
    first = ("__module__", "__qualname__", "__firstlineno__", "__classdict__", "__type_params__", "__doc__")
    position = 0
    while position < len(statements) and any(_assigns(statements[position], name) for name in first):
        position += 1
    return position


def _assignment_of(body: Any, statements: List[Stmt], start: int, annotation: Annotation) -> Optional[int]:
    for index in range(start, len(statements)):
        statement = statements[index]
        if _assigns(statement, annotation.name):
            line = body.lines.get(statement.offset)
            if annotation.line is None or line is None or line == annotation.line:
                return index
    return None


def _place_for_line(body: Any, statements: List[Stmt], position: int, line: Optional[int]) -> int:
    """Before the first statement that begins behind `line`."""
    if line is None:
        return position
    while position < len(statements):
        statement = statements[position]
        other = _line_of(body, statement)
        if other is not None and other > line or is_epilogue(statement):
            break
        position += 1
    return position


def _line_of(body: Any, statement: Stmt) -> Optional[int]:
    line: Optional[int] = body.lines.get(statement.offset)
    return line
