"""Classes that exist already: what is in their namespace stands in a class statement again, functions decompiled.

The code of a class body is gone once it has run, so what it left is shown, in its order: constants, functions (with
`staticmethod`, `classmethod`, `property` and the like as decorators), aliases, nested classes; not what Python adds itself.
"""

from __future__ import annotations

import enum
import sys
from types import CodeType, FunctionType, GetSetDescriptorType, MemberDescriptorType
from typing import Any, Iterator, List, NamedTuple, Optional, Tuple

from ..tree import AnnAssign, Assign, Attr, ClassDef, Expr, FunctionDef, Module, Name, Pass, Stmt
from ..trees import Options, add_from_function, tree_of
from .live import annotation_of, annotations_of, path_to, value_of
from .mangled import unmangle

_MADE_BY_PYTHON = frozenset(
    "__module__ __qualname__ __doc__ __dict__ __weakref__ __annotations__ __annotate__ __annotate_func__ __annotations_cache__ "
    "__conditional_annotations__ __static_attributes__ __firstlineno__ __classcell__ __classdictcell__ __orig_bases__ "
    "__parameters__ __type_params__ __abstractmethods__ _abc_impl __dataclass_fields__ __dataclass_params__ "
    "__protocol_attrs__ __non_callable_proto_members__ _is_protocol _is_runtime_protocol".split()
)
_WRAPPERS = {"_lru_cache_wrapper": "lru_cache"}  # types that are not called as their decorator is


class Method(NamedTuple):
    """A function in a class's namespace, and the decorator that makes of it what the class holds."""

    name: str
    function: Any  # a FunctionType, which would be taken for a method of this class
    decorator: Optional[Expr] = None


def functions_of(cls: type) -> Iterator[Method]:
    """The Python functions that the class statement defined, those of nested classes too."""
    for name, value in _members(cls):
        if _is_nested_class(cls, name, value):
            for method in functions_of(value):
                yield method._replace(name=f"{name}.{method.name}")
        elif _alias(cls, name, value) is None:
            yield from _methods(name, value)


def _methods(name: str, value: Any) -> Iterator[Method]:
    """What stands behind one name: up to three functions for a property, none for what is no function."""
    if isinstance(value, FunctionType):
        yield Method(name, value)
    elif isinstance(value, property):
        if isinstance(value.fget, FunctionType):
            yield Method(name, value.fget, Name("property"))
        for part, function in (("setter", value.fset), ("deleter", value.fdel)):
            if isinstance(function, FunctionType):
                yield Method(name, function, Attr(Name(name), part))
    else:
        for attribute in ("__func__", "func", "__wrapped__"):
            function = getattr(value, attribute, None)
            if isinstance(function, FunctionType) and not isinstance(value, type):
                kind = type(value).__name__
                yield Method(name, function, Name(_WRAPPERS.get(kind, kind)))
                break


def class_tree(cls: type, options: Options, codes: List[CodeType]) -> Module:
    """A module that holds the class statement; `codes` is filled with the code objects of its functions."""
    return Module([_statement(cls, options._replace(name=None), codes, options.name or cls.__name__)])


def _statement(cls: type, options: Options, codes: List[CodeType], name: str) -> ClassDef:
    body: List[Stmt] = _fields(cls, options)
    for member, value in _members(cls):
        if _is_nested_class(cls, member, value):
            body.append(_statement(value, options, codes, member))
        else:
            body.extend(_member(cls, member, value, options, codes))
    made = ClassDef(name, _bases(cls), _keywords(cls), body)
    made.docstring = cls.__doc__ if isinstance(cls.__doc__, str) else None
    if not body and made.docstring is None:
        body.append(Pass())
    return made


def _fields(cls: type, options: Options) -> List[Stmt]:
    """Annotated names, on request: those with a literal value hold it."""
    if not options.annotations:
        return []
    return [AnnAssign(Name(name), annotation, None) for name, annotation in annotations_of(cls).items() if not _is_plain(cls, name)]


def _is_plain(cls: type, name: str) -> bool:
    """Whether the name has a value of its own, so that the annotation is shown with it."""
    return any(name == member for member, _ in _members(cls))


def _member(cls: type, name: str, value: Any, options: Options, codes: List[CodeType]) -> Iterator[Stmt]:
    alias = _alias(cls, name, value)
    methods = [] if alias is not None else list(_methods(name, value))
    for method in methods:
        yield _definition(cls, method, options, codes)
    if not methods:
        shown = value_of(value) if alias is None else alias
        annotation = annotations_of(cls).get(name) if options.annotations else None
        yield Assign([Name(name)], shown) if annotation is None else AnnAssign(Name(name), annotation, shown)


def _definition(cls: type, method: Method, options: Options, codes: List[CodeType]) -> Stmt:
    made = tree_of(method.function.__code__, options.prefix, method.name, codes, readings=options.readings).body[-1]
    assert isinstance(made, FunctionDef)
    add_from_function(made, method.function, options.annotations)
    if method.decorator is not None:
        made.decorators = [method.decorator]
    unmangle(cls.__name__, method.function.__code__, [made])
    return made


# ---------------------------------------------------------------- what counts as a member


def _members(cls: type) -> Iterator[Tuple[str, Any]]:
    """What somebody put into the class, in order; members of an enumeration with their values."""
    is_enumeration = issubclass(cls, enum.Enum)
    members = getattr(cls, "__members__", {}) if is_enumeration else {}
    for name, member in members.items():
        yield name, member._value_
    for name, value in vars(cls).items():
        if name in members or name in _MADE_BY_PYTHON or isinstance(value, (MemberDescriptorType, GetSetDescriptorType)):
            continue
        if name == "__hash__" and value is None and "__eq__" in vars(cls):
            continue  # Python does that itself
        if is_enumeration and name.startswith("_") and not (isinstance(value, FunctionType) and _is_own(cls, value)):
            continue  # bookkeeping
        yield name, value


def _is_own(cls: type, value: Any) -> bool:
    return getattr(value, "__qualname__", "").startswith(cls.__qualname__ + ".")


def _is_nested_class(cls: type, name: str, value: Any) -> bool:
    return isinstance(value, type) and (value.__module__, value.__qualname__) == (cls.__module__, f"{cls.__qualname__}.{name}")


def _alias(cls: type, name: str, value: Any) -> Optional[Expr]:
    """The path of a function or class that has another home, where it can be found there: `__radd__ = __add__`."""
    if not isinstance(value, (FunctionType, type)) or value.__qualname__ == f"{cls.__qualname__}.{name}":
        return None
    home: str = value.__name__
    if home != name and vars(cls).get(home) is value and _is_own(cls, value):
        return Name(home)
    if isinstance(value, type):
        return path_to(value)
    found: Any = sys.modules.get(value.__module__)
    for part in value.__qualname__.split("."):
        found = getattr(found, part, None)
    return path_to(value) if found is value else None


def _bases(cls: type) -> List[Expr]:
    written = vars(cls).get("__orig_bases__", cls.__bases__)
    return [annotation_of(base, False) for base in written if base is not object]


def _keywords(cls: type) -> List[Tuple[Optional[str], Expr]]:
    """The metaclass, unless a base brings it."""
    if type(cls) is type or any(type(base) is type(cls) for base in cls.__bases__):
        return []
    return [("metaclass", path_to(type(cls)))]
