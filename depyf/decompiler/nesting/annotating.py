"""Annotations of functions, in the ways CPython has stored them: a dict, a tuple, or a function that computes them."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

from depyf.bytecode.codes import annotations_are_text

from ..lifting.values import Function, resolve
from ..tree import Const, Dict_, Expr, Parameter, Return, Tuple_
from .annotated import as_text


def annotate(assembler: Any, function: Function, parameters: List[Parameter]) -> Optional[Expr]:
    """Gives the parameters their annotations; returns that of the result."""
    found = _annotations(assembler, function)
    for parameter in parameters:
        if parameter.name in found:
            parameter.annotation = found[parameter.name]
    return found.get("return")


def _annotations(assembler: Any, function: Function) -> Dict[str, Expr]:
    stored = function.fields.get("annotations")
    lazy = function.fields.get("annotate")
    found: Dict[str, Expr] = {}
    if stored is not None:
        found = dict(_pairs(resolve(stored)))
    elif lazy is not None:
        found = dict(_computed(assembler, resolve_function(lazy)))
    if annotations_are_text(function.code):
        return {name: as_text(value) for name, value in found.items()}
    return found


def resolve_function(value: Expr) -> Function:
    assert isinstance(value, Function)
    return value


def _pairs(stored: Expr) -> List[Tuple[str, Expr]]:
    if isinstance(stored, Dict_):
        return [(k.value, v) for k, v in stored.items if isinstance(k, Const)]
    if isinstance(stored, Tuple_):
        items = stored.items
    elif isinstance(stored, Const):
        items = [Const(v) for v in stored.value]
    else:
        return []
    return [(k.value, v) for k, v in zip(items[::2], items[1::2]) if isinstance(k, Const)]


def _computed(assembler: Any, function: Function) -> List[Tuple[str, Expr]]:
    """3.14: __annotate__(format) returns the dict, unless it is asked for a format it does not know."""
    from .functions import with_dead_values

    unit = assembler.units[id(function)]
    for statement in unit.body.statements:
        if isinstance(statement, Return):
            pairs = _pairs(resolve(statement.value))
            return [*pairs[:-1], *((name, with_dead_values(value, unit)) for name, value in pairs[-1:])]
    return []
