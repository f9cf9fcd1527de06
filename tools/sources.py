"""Python sources to test on: the standard library of the running CPython, its tests, or any folder; and their code objects.

Knows nothing of depyf. A file that does not compile under the running version (test data, another version's syntax)
is reported as such by `compile_source` returning None, so that callers can count it.
"""

from __future__ import annotations

import os
import random
import sysconfig
import types
import warnings
from typing import Callable, Iterator, List, NamedTuple, Optional, Tuple

CO_OPTIMIZED = 0x1

# folders of the standard library that hold tests
TEST_FOLDERS = frozenset({"test", "tests", "idle_test"})
# not the standard library's own text: installed packages, and templates that are no Python
FOREIGN_FOLDERS = frozenset({"site-packages", "dist-packages", "__pycache__"})


class Source(NamedTuple):
    """One file: the name it is reported under, and where it is."""

    name: str
    path: str

    def read(self) -> bytes:
        with open(self.path, "rb") as file:
            return file.read()


class Nested(NamedTuple):
    """A code object inside another, with the dotted path of names that leads to it."""

    qualname: str
    code: types.CodeType
    parent: Optional[types.CodeType]


def folder_files(folder: str, keep: Callable[[Tuple[str, ...]], bool] = lambda parts: True) -> List[Source]:
    """Every .py file under a folder whose path below it passes `keep`, in a fixed order."""
    found = []
    for where, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in ("__pycache__",))
        below = os.path.relpath(where, folder)
        parts = () if below == os.curdir else tuple(below.split(os.sep))
        for file in sorted(files):
            # a distribution may leave a link to nothing
            if file.endswith(".py") and keep(parts + (file,)) and os.path.isfile(os.path.join(where, file)):
                name = ".".join(parts + ((file[:-3],) if file != "__init__.py" else ())) or file[:-3]
                found.append(Source(name, os.path.join(where, file)))
    return found


def stdlib_files(which: str = "library") -> List[Source]:
    """The standard library's files: `which` is 'library' (without tests), 'tests' (only them), or 'all'."""

    def keep(parts: Tuple[str, ...]) -> bool:
        if FOREIGN_FOLDERS.intersection(parts):
            return False
        is_test = bool(TEST_FOLDERS.intersection(parts[:-1]))
        return which == "all" or is_test == (which == "tests")

    return folder_files(sysconfig.get_paths()["stdlib"], keep)


def choose(sources: List[Source], sample: Optional[int], seed: int) -> List[Source]:
    """A repeatable sample, in the order of the whole."""
    if sample is None or sample >= len(sources):
        return sources
    chosen = set(random.Random(seed).sample(range(len(sources)), sample))
    return [source for index, source in enumerate(sources) if index in chosen]


def compile_text(text: object, filename: str, mode: str = "exec") -> types.CodeType:
    """compile() that neither inherits this file's flags nor prints warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code = compile(text, filename, mode, dont_inherit=True)  # type: ignore[call-overload]
    assert isinstance(code, types.CodeType)
    return code


def compiles(text: str) -> bool:
    """Whether the running version takes a text for a module."""
    try:
        compile_text(text, "<program>")
    except (SyntaxError, ValueError):
        return False
    return True


def compile_source(source: Source) -> Optional[types.CodeType]:
    """The module's code object; None where the running version cannot compile the file."""
    try:
        return compile_text(source.read(), source.path)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        return None


def children(code: types.CodeType) -> List[types.CodeType]:
    """The code objects among a code object's constants, in order."""
    return [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]


def nested(code: types.CodeType, prefix: str = "") -> Iterator[Nested]:
    """Every code object inside `code`, outer ones first, without recursion in its depth."""
    stack = [Nested(prefix + child.co_name, child, code) for child in reversed(children(code))]
    while stack:
        item = stack.pop()
        yield item
        stack.extend(
            Nested(f"{item.qualname}.{child.co_name}", child, item.code) for child in reversed(children(item.code))
        )


def kind(code: types.CodeType) -> str:
    """'function' (lambdas too), 'class', 'comprehension', or 'scope' for what the compiler makes by itself."""
    if not code.co_flags & CO_OPTIMIZED:
        return "class"
    if code.co_name in ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"):
        return "comprehension"
    if code.co_name == "__annotate__" or (code.co_name.startswith("<") and code.co_name != "<lambda>"):
        return "scope"
    return "function"
