"""Qualified names of nested functions: those of the place they came from, not of the text they were compiled from."""

from __future__ import annotations

from types import CodeType
from typing import Any, Dict, List


def with_qualified_names(code: CodeType, reference: CodeType) -> CodeType:
    """Nested functions are named after where they stand: inside the reference, not inside the text."""
    own = getattr(code, "co_qualname", None)
    if own is not None:
        return _requalify(code, own, reference.co_qualname)
    names = [c.co_name for c in code.co_consts if isinstance(c, CodeType)]
    for old in _qualified(code, names):
        for new in _qualified(reference, names):
            if old.rpartition(".<locals>.")[2] == new.rpartition(".<locals>.")[2]:
                return _requalify(code, old.rpartition(".<locals>.")[0], new.rpartition(".<locals>.")[0])
    return code


def _qualified(code: CodeType, names: List[str]) -> List[str]:
    """Before 3.11 the qualified names are constants beside the nested code objects."""
    return [
        c for c in code.co_consts if isinstance(c, str) and ".<locals>." in c and c.rpartition(".")[2] in names
    ]


def _requalify(code: CodeType, old: str, new: str) -> CodeType:
    if old == new:
        return code
    inside = old + ".<locals>."

    def renamed(name: str) -> str:
        return new + name[len(old) :] if name == old or name.startswith(inside) else name

    constants: List[Any] = []
    for value in code.co_consts:
        if isinstance(value, CodeType):
            if value.co_filename == code.co_filename:  # else it was carried over, and stays as it is
                value = _requalify(value, old, new)
        elif isinstance(value, str) and value.startswith(inside):
            value = renamed(value)
        constants.append(value)
    fields: Dict[str, Any] = {"co_consts": tuple(constants)}
    if hasattr(code, "co_qualname"):
        fields["co_qualname"] = renamed(code.co_qualname)
    return code.replace(**fields)
