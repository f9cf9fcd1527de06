"""Objects that exist, as the expressions a person would have written for them: defaults, annotations, bases, attributes.

Nothing here is compiled or proven: a function's code does not hold its defaults and annotations. What has no
expression becomes a constant, which `emit` gives a readable placeholder.
"""

from __future__ import annotations
import __future__

import ast
import sys
from types import FunctionType
from typing import Any, Callable, Dict, List, Optional, Tuple, cast

from depyf.bytecode.codes import annotations_are_text

from ..emit.literals import is_literal
from ..tree import Attr, Const, Dict_, Expr, List_, Name, Set_, Tuple_, Verbatim
from .annotation_texts import written

MOST_ITEMS = 40  # of a list or dict that is written out; a table of data says less than its placeholder
DEEPEST = 4


def value_of(value: Any, depth: int = 0) -> Expr:
    """A literal or a display where everything in it has one; otherwise a placeholder."""
    display = _display(value, depth)
    return Const(value) if display is None else display


def _display(value: Any, depth: int) -> Optional[Expr]:
    if is_literal(value):
        return Const(value)
    kind = type(value)
    if kind not in (list, tuple, set, dict) or not 0 <= len(value) <= MOST_ITEMS or depth > DEEPEST:
        return None
    if kind is dict:
        keys, values = _displays(value, depth), _displays(value.values(), depth)
        return None if keys is None or values is None else Dict_(list(zip(keys, values)))
    items = _displays(value, depth)
    if items is None or (kind is set and not items):
        return None
    return Set_(items) if kind is set else List_(items) if kind is list else Tuple_(items)


def _displays(values: Any, depth: int) -> Optional[List[Expr]]:
    found = [_display(value, depth + 1) for value in values]
    return None if any(one is None for one in found) else cast(List[Expr], found)


def path_to(obj: Any) -> Expr:
    """A class or function by its qualified name, as far as that can be written."""
    first, *others = obj.__qualname__.rsplit("<locals>.", 1)[-1].split(".")
    made: Expr = Name(first)
    for name in others:
        made = Attr(made, name)
    return made


def annotation_of(value: Any, is_text: bool) -> Expr:
    """`is_text`: a str is the text of the annotation, not an annotation that is a str."""
    if isinstance(value, str):
        return Verbatim(written(value)) if is_text and _parses(value) else Const(value)
    if value is type(None):
        return Const(None)
    if type(value).__name__ in ("TypeVar", "ParamSpec", "TypeVarTuple"):
        return Name(value.__name__)
    if isinstance(value, type) and not hasattr(value, "__origin__"):  # list[int] counts as a type on 3.9 and 3.10
        return path_to(value)
    try:
        text = repr(value)
    except Exception:  # a repr may raise whatever it likes
        return Const(value)
    return Verbatim(text) if _parses(text) else Const(value)


def _parses(text: str) -> bool:
    try:
        ast.parse(f"({text})", mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return "\n" not in text


def annotations_of(owner: Any) -> Dict[str, Expr]:
    """The annotations of a function or of a class itself, by name. Names in them need not exist (any more)."""
    known, is_text = _annotations(owner)
    is_text = is_text or _compiled_to_text(owner)
    return {name: annotation_of(value, is_text) for name, value in known.items()}


def _compiled_to_text(owner: Any) -> bool:
    """Whether `from __future__ import annotations` was in force; a class has no code, but its module has the name."""
    if isinstance(owner, FunctionType):
        return annotations_are_text(owner.__code__)
    return getattr(sys.modules.get(owner.__module__), "annotations", None) is __future__.annotations


def _annotations(owner: Any) -> Tuple[Dict[str, Any], bool]:
    """What is stored, and whether it is text. Since 3.14 they are evaluated on demand, which may fail: text is asked for."""
    get = _getter_of_texts()
    try:
        if get is not None:
            return get(owner), True
        own = owner.__annotations__ if isinstance(owner, FunctionType) else vars(owner).get("__annotations__")
        return dict(own or {}), False
    except Exception:
        return {}, False


def _getter_of_texts() -> Optional[Callable[[Any], Dict[str, Any]]]:
    try:
        from annotationlib import Format, get_annotations  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        return None
    return lambda owner: get_annotations(owner, format=Format.STRING)
