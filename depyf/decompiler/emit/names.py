"""Legal, unique names for what the text must call by name: odd names of the bytecode, and objects without a literal.

Bytecode may hold names that no source can (`.0`, `<lambda>`, `a.b`, `class`): each is written as a legal name, the
same one throughout a text. A legal name always stays as it is, so a chosen name must never be one that the text holds.
"""

from __future__ import annotations

import keyword
import types
import unicodedata
from typing import Any, Dict, Set, Tuple


class NameTaken(Exception):
    """A name that was chosen for something turned up as a real name: start again without it."""

    def __init__(self, name: str) -> None:
        Exception.__init__(self, name)
        self.name = name


def is_legal(name: str) -> bool:
    """Whether `name` can be written as an identifier and is read back as the same string."""
    if not name.isidentifier() or keyword.iskeyword(name):
        return False
    return name.isascii() or unicodedata.normalize("NFKC", name) == name


def legalise(name: str) -> str:
    """A legal identifier that resembles `name`."""
    name = unicodedata.normalize("NFKC", name)
    result = "".join(c if ("_" + c).isidentifier() else "_" for c in name)
    if not result or not result.isidentifier():
        result = "_" + result
    if keyword.iskeyword(result):
        result += "_"
    return result


class Names(Dict[str, str]):
    """Maps each name of the bytecode to the name that is written; filled while the text is written."""

    def __init__(self, reserved: Set[str]) -> None:
        dict.__init__(self)
        self.reserved = reserved
        self.chosen: Set[str] = set()
        self.renamed: Dict[str, str] = {}

    def __missing__(self, name: str) -> str:
        if is_legal(name):
            if name in self.chosen:
                raise NameTaken(name)
            written = name
        else:
            written = self.choose(legalise(name))
            self.renamed[written] = name
        self[name] = written
        return written

    def choose(self, wish: str) -> str:
        """A name like `wish` that nothing else in the text bears."""
        candidate, number = wish, 0
        while candidate in self.reserved or candidate in self.chosen or self.get(candidate) == candidate:
            number += 1
            candidate = f"{wish}_{number}"
        self.chosen.add(candidate)
        return candidate


class Attributes(Dict[str, str]):
    """name -> `.name` as it is written; saves a concatenation for each attribute."""

    def __init__(self, names: Names) -> None:
        dict.__init__(self)
        self.names = names

    def __missing__(self, name: str) -> str:
        written = self[name] = "." + self.names[name]
        return written


class KeywordNames(Dict[str, str]):
    """name -> `name=`, or the empty string where the name cannot be written as a keyword."""

    def __missing__(self, name: str) -> str:
        written = self[name] = name + "=" if is_legal(name) else ""
        return written


class Objects:
    """Names for objects that have no literal: one a kind of scope and object."""

    __slots__ = ("names", "by_identity", "objects")

    def __init__(self, names: Names) -> None:
        self.names = names
        self.by_identity: Dict[Tuple[int, bool], str] = {}
        self.objects: Dict[str, Any] = {}

    def name_of(self, value: Any, in_class: bool) -> str:
        """The placeholder for `value`. Inside a class it ends in `__`, so that it is not mangled."""
        key = (id(value), in_class)
        name = self.by_identity.get(key)
        if name is None:
            wish = describe(value)
            name = self.names.choose(wish + "__" if in_class else wish)
            self.by_identity[key] = name
            self.objects[name] = value
        return name


NAMED_TYPES = (
    type,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.WrapperDescriptorType,
    types.MethodDescriptorType,
    types.ClassMethodDescriptorType,
)


def describe(value: Any) -> str:
    """A readable identifier for an object, from its name or its representation."""
    if isinstance(value, types.ModuleType):
        return "__module_" + legalise(value.__name__).replace(".", "_")
    if isinstance(value, types.CodeType):
        return "__code_" + legalise(value.co_name).strip("_")
    try:
        own = value.__qualname__ if isinstance(value, NAMED_TYPES) else repr(value)
    except Exception:  # a repr may raise whatever it likes
        own = ""
    if not isinstance(own, str) or not own or " at 0x" in own or len(own) > 60:
        own = type(value).__name__
    words = "".join(c if ("_" + c).isidentifier() and c.isascii() else " " for c in own).split()
    return "__const_" + ("_".join(words).strip("_")[:40] or type(value).__name__)
