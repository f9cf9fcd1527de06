"""What the command line can be pointed at: files, compiled files, folders, modules, and objects inside modules.

Turns a target's text into sources that load one at a time, so that one bad file does not stop a folder. Files and
modules are read, never run; only `module:object` imports the module, since the object exists only then.
"""

from __future__ import annotations

import importlib
import importlib.util
import marshal
import os
import types
from pathlib import Path
from typing import Any, Callable, Iterator, List, NamedTuple

_PYC_HEADER = 16  # magic number, flags, and two words of source date and size, or a hash: PEP 552


class TargetError(Exception):
    """A target cannot be found or read; the message is for the person who typed it."""


class Source(NamedTuple):
    """One thing to decompile."""

    name: str  # as shown to the user
    output: str  # relative path of the file that -o writes
    load: Callable[[], Any]  # a code object, or a callable; raises TargetError


def load_py(path: Path) -> types.CodeType:
    """Compile a source file, without running it."""
    try:
        return compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
    except OSError as error:
        raise TargetError(f"cannot read {path}: {error.strerror}") from error
    except (SyntaxError, ValueError) as error:
        raise TargetError(f"{path} does not compile on this Python: {error}") from error
    except (RecursionError, MemoryError) as error:
        raise TargetError(f"{path} is nested too deeply for Python's own compiler") from error


def load_pyc(path: Path) -> types.CodeType:
    """The module's code object out of a compiled file of the running Python."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise TargetError(f"cannot read {path}: {error.strerror}") from error
    if data[:4] != importlib.util.MAGIC_NUMBER:
        found = int.from_bytes(data[:2], "little")
        own = int.from_bytes(importlib.util.MAGIC_NUMBER[:2], "little")
        raise TargetError(
            f"{path} is not a .pyc of this Python (its magic number is {found}, this Python's is {own}); "
            "run depyf with the Python that wrote it"
        )
    try:
        code = marshal.loads(data[_PYC_HEADER:])
    except (EOFError, ValueError, TypeError) as error:
        raise TargetError(f"{path} is damaged: {error}") from error
    if not isinstance(code, types.CodeType):
        raise TargetError(f"{path} is damaged: it holds no code object")
    return code


def load_module(name: str) -> types.CodeType:
    """A module's code object, found the way import finds it, but not run (its parent packages are)."""
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError, AttributeError) as error:
        raise TargetError(f"cannot find module {name!r}: {error}") from error
    if spec is None or spec.loader is None:
        raise TargetError(f"no module, file or folder is called {name!r}")
    get_code = getattr(spec.loader, "get_code", None)
    try:
        code = get_code(name) if get_code is not None else None
    except (ImportError, SyntaxError, ValueError, OSError) as error:
        raise TargetError(f"cannot read module {name!r}: {error}") from error
    if not isinstance(code, types.CodeType):
        raise TargetError(f"module {name!r} holds no bytecode ({spec.origin or 'built in'})")
    return code


def load_object(module_name: str, path: str) -> Any:
    """Import the module and follow the dotted path inside it."""
    try:
        value: Any = importlib.import_module(module_name)
    except Exception as error:  # importing runs the user's code, which may raise anything
        raise TargetError(f"cannot import {module_name!r}: {type(error).__name__}: {error}") from error
    walked = module_name
    for part in path.split("."):
        try:
            value = getattr(value, part)
        except AttributeError as error:
            raise TargetError(f"{walked!r} has no attribute {part!r}") from error
        walked = f"{walked}.{part}"
    return value


def _file(path: Path, output: str) -> Source:
    loader = load_pyc if path.suffix == ".pyc" else load_py
    return Source(str(path), output, lambda: loader(path))


def _folder(root: Path) -> Iterator[Source]:
    """Every .py below the folder, and every .pyc that lies beside no .py of its name."""
    for folder, subfolders, files in os.walk(str(root)):
        subfolders[:] = sorted(name for name in subfolders if name != "__pycache__")
        names = set(files)
        for name in sorted(files):
            path = Path(folder, name)
            if name.endswith(".py") or (name.endswith(".pyc") and name[:-1] not in names):
                yield _file(path, str(path.relative_to(root).with_suffix(".py")))


def find_sources(target: str) -> List[Source]:
    """All that a target stands for; raises TargetError when it stands for nothing."""
    path = Path(target)
    if path.is_dir():
        sources = list(_folder(path))
        if not sources:
            raise TargetError(f"folder {target} holds no .py or .pyc file")
        return sources
    if path.suffix in (".py", ".pyc") or os.sep in target or path.is_file():
        if not path.is_file():
            raise TargetError(f"no such file: {target}")
        if path.suffix not in (".py", ".pyc"):
            raise TargetError(f"{target} is neither a .py nor a .pyc file")
        return [_file(path, path.stem + ".py")]
    module, colon, inside = target.partition(":")
    if not all(part.isidentifier() for part in module.split(".")):
        raise TargetError(f"{target!r} is no file, folder, module or module:object")
    if colon:
        if not inside:
            raise TargetError(f"{target!r} names no object after the colon")
        return [Source(target, f"{module}.{inside}.py", lambda: load_object(module, inside))]
    return [Source(target, module.replace(".", os.sep) + ".py", lambda: load_module(module))]
