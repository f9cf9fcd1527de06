"""Private names: inside `class C` a person writes `__x` for what the bytecode calls `_C__x`.

Runs on a finished class body, functions and all. Bodies of classes inside it have been done with their own names.
"""

from __future__ import annotations

from types import CodeType
from typing import Any, List, Set

from .tree import (
    Attr,
    ClassDef,
    ExceptClause,
    FunctionDef,
    Global,
    Import,
    ImportFrom,
    MatchAs,
    MatchMapping,
    MatchStar,
    Name,
    Node,
    Nonlocal,
    Parameter,
    Stmt,
    TypeAlias,
    TypeParameter,
)

_NAMED = (FunctionDef, ClassDef, Parameter, Attr, ExceptClause, TypeParameter, TypeAlias, MatchAs, MatchStar)


def unmangle(class_name: str, code: CodeType, body: List[Stmt]) -> None:
    """Gives the private names in `body`, of a class whose body is `code`, their short form."""
    prefix = "_" + class_name.lstrip("_")
    if prefix == "_" or not _occurs(code, prefix + "__"):
        return
    _Unmangler(prefix).walk(body)


def _occurs(code: CodeType, prefix: str) -> bool:
    work = [code]
    while work:
        code = work.pop()
        for names in (code.co_names, code.co_varnames, code.co_cellvars, code.co_freevars):
            if any(name.startswith(prefix) for name in names):
                return True
        work.extend(c for c in code.co_consts if isinstance(c, CodeType))
    return False


class _Unmangler:
    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.length = len(prefix)

    def short(self, name: Any) -> Any:
        if isinstance(name, str) and name.startswith(self.prefix + "__") and not name.endswith("__"):
            return name[self.length :]
        return name

    def walk(self, body: List[Stmt]) -> None:
        seen: Set[int] = set()
        work: List[Any] = list(body)
        while work:
            node = work.pop()
            if isinstance(node, (list, tuple)):
                work.extend(node)
                continue
            if not hasattr(type(node), "__slots__") or isinstance(node, str) or id(node) in seen:
                continue
            seen.add(id(node))
            self.rename(node)
            for kind in type(node).__mro__:
                for slot in getattr(kind, "__slots__", ()):
                    if slot == "body" and isinstance(node, ClassDef) or slot in ("code", "block", "fields"):
                        continue
                    value = getattr(node, slot, None)
                    if isinstance(value, (list, tuple, Node)) or hasattr(type(value), "__slots__"):
                        work.append(value)

    def rename(self, node: Any) -> None:
        if isinstance(node, Name):
            node.id = self.short(node.id)
        elif isinstance(node, _NAMED):
            node.name = self.short(node.name)
        elif isinstance(node, (Global, Nonlocal)):
            node.names = [self.short(name) for name in node.names]
        elif isinstance(node, (Import, ImportFrom)):
            node.names = [(self.short(name), self.short(alias)) for name, alias in node.names]
        elif isinstance(node, MatchMapping):
            node.rest = self.short(node.rest)
