"""Classes that exist already: their functions are decompiled, and stand in a class statement again.

The code of a class body is gone once it has run, so what it computed is shown: bases, constants, functions in the
order of the class's namespace, with `staticmethod`, `classmethod` and `property` as decorators.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any, Iterator, List, Optional, Tuple

from .tree import Assign, Attr, ClassDef, Const, Expr, FunctionDef, Module, Name, Stmt
from .trees import Options, add_from_function, tree_of

_MADE_BY_THE_CLASS = frozenset(("__module__", "__qualname__", "__doc__", "__dict__", "__weakref__", "__annotations__"))
_LITERALS = (int, float, complex, str, bytes, bool, type(None))


def functions_of(cls: type) -> Iterator[Tuple[str, FunctionType, Optional[Expr]]]:
    """The Python functions in a class's own namespace, with the decorator each needs."""
    for name, value in vars(cls).items():
        if isinstance(value, FunctionType):
            yield name, value, None
        elif isinstance(value, (staticmethod, classmethod)) and isinstance(value.__func__, FunctionType):
            yield name, value.__func__, Name(type(value).__name__)
        elif isinstance(value, property):
            if isinstance(value.fget, FunctionType):
                yield name, value.fget, Name("property")
            for part, function in (("setter", value.fset), ("deleter", value.fdel)):
                if isinstance(function, FunctionType):
                    yield name, function, Attr(Name(name), part)


def class_tree(cls: type, options: Options) -> Module:
    body: List[Stmt] = []
    for name, value in vars(cls).items():
        if type(value) in _LITERALS and name not in _MADE_BY_THE_CLASS and not name.startswith("__"):
            body.append(Assign([Name(name)], Const(value)))
    for name, function, decorator in functions_of(cls):
        body.append(_method(name, function, decorator, options))
    bases: List[Expr] = [Name(base.__name__) for base in cls.__bases__ if base is not object]
    made = ClassDef(options.name or cls.__name__, bases, [], body)
    made.docstring = cls.__doc__
    return Module([made])


def _method(name: str, function: Any, decorator: Optional[Expr], options: Options) -> Stmt:
    made = tree_of(function.__code__, options.prefix, name).body[-1]
    assert isinstance(made, FunctionDef)
    add_from_function(made, function, options.annotations)
    if decorator is not None:
        made.decorators = [decorator]
    return made
