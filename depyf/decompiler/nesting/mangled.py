"""Private names: inside `class C` a person writes `__x` for what the bytecode calls `_C__x`.

Runs on a finished class body, functions and all. Bodies of classes inside it have been done with their own names.
"""

from __future__ import annotations

from functools import lru_cache
from types import CodeType
from typing import Any, List, Set

from ..tree import (
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
            if [name for name in names if name.startswith(prefix)]:
                return True
        work += [c for c in code.co_consts if isinstance(c, CodeType)]
    return False


@lru_cache(maxsize=256)
def _slots_of(kind: type) -> List[str]:
    """Where in a node of this class there may be others; nowhere in what is no node."""
    if issubclass(kind, str):
        return []
    without = ("code", "block", "fields") + (("body",) if issubclass(kind, ClassDef) else ())
    return [slot for one in kind.__mro__ for slot in getattr(one, "__slots__", ()) if slot not in without]


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
            kind = node.__class__
            if kind is list or kind is tuple:
                work += node
                continue
            slots = _slots_of(kind)
            if not slots or id(node) in seen:
                continue
            seen.add(id(node))
            self.rename(node)
            work += [getattr(node, slot, None) for slot in slots]

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
