"""Compiling without warnings: whatever is strange in the text was so in the original, whose compiler has said it already.

Filters are global, so only one thread at a time changes them: of two that overlapped, the second would restore what the first had
set.
"""

from __future__ import annotations

import ast
import contextlib
import threading
import warnings
from types import CodeType
from typing import Iterator, Union

_ONE_AT_A_TIME = threading.Lock()


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """No warnings, of what is parsed and compiled inside."""
    with _ONE_AT_A_TIME, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def compile_quietly(source: Union[str, ast.AST], filename: str, flags: int = 0) -> CodeType:
    """`compile` of a module."""
    with quiet():
        made: CodeType = compile(source, filename, "exec", flags, dont_inherit=True)  # type: ignore[arg-type]
    return made
