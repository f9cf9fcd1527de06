"""Facts about code objects that depend on the version but are not instructions: flags, docstrings."""

from __future__ import annotations

import sys
from types import CodeType
from typing import Optional, Tuple

CO_OPTIMIZED, CO_NEWLOCALS, CO_GENERATOR = 0x01, 0x02, 0x20
CO_COROUTINE, CO_ITERABLE_COROUTINE, CO_ASYNC_GENERATOR = 0x80, 0x100, 0x200
CO_HAS_DOCSTRING = 0x4000000  # since 3.13


def is_async(code: CodeType) -> bool:
    return bool(code.co_flags & (CO_COROUTINE | CO_ASYNC_GENERATOR))


def is_generator(code: CodeType) -> bool:
    return bool(code.co_flags & (CO_GENERATOR | CO_ASYNC_GENERATOR))


def is_function(code: CodeType) -> bool:
    """Whether `code` runs as a function (with fast locals), not as a module or class body."""
    return bool(code.co_flags & CO_OPTIMIZED)


def docstring_of(code: CodeType, version: Optional[Tuple[int, int]] = None) -> Optional[str]:
    """A function's docstring: its first constant, which is never a string otherwise (before 3.13), or by a flag."""
    if not is_function(code) or code.co_name.startswith("<") or not code.co_consts:
        return None
    first = code.co_consts[0]
    if not isinstance(first, str):
        return None
    if (version or sys.version_info[:2]) >= (3, 13) and not code.co_flags & CO_HAS_DOCSTRING:
        return None
    return first
