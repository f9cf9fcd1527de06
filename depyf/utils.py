"""Small helpers that existing users import: decompiling without ever failing, finding code objects, directories."""

from __future__ import annotations

import dis
import functools
import io
import os
from types import CodeType
from typing import Any, List, Optional

__all__ = ["collect_all_code_objects", "decompile_ensure", "get_code_owner", "safe_create_directory"]


def decompile_ensure(code: Any, overwite_fn_name: Optional[str] = None) -> str:
    """The source of a code object or callable; where it cannot be decompiled, its disassembly in comments.

    Never raises, and what it returns always parses."""
    from depyf.decompiler import Decompiler

    try:
        return Decompiler(code).decompile(overwite_fn_name=overwite_fn_name)
    except Exception as problem:
        return disassembly_in_comments(code, overwite_fn_name, problem)


def disassembly_in_comments(code: Any, name: Optional[str], problem: BaseException) -> str:
    """A function of that name, without a body, whose comments say why and show the bytecode."""
    try:
        out = io.StringIO()
        dis.dis(code, file=out)
        shown = out.getvalue()
    except Exception as worse:
        shown = f"no disassembly either: {worse!r}"
    lines = [f"cannot be decompiled: {problem}", *shown.splitlines()]
    comments = "\n".join(f"    # {line}".rstrip() for text in lines for line in text.splitlines() or [""])
    legal = "".join(c if c.isalnum() or c == "_" else "_" for c in name or getattr(code, "co_name", "") or "code")
    if not legal.isidentifier():
        legal = "_" + legal
    return f"def {legal}(*args, **kwargs):\n{comments}\n    pass\n"


def get_code_owner(fn: Any) -> Any:
    """The function whose `__code__` runs when `fn` is called: through methods, partials, wrappers and `__call__`."""
    for _ in range(100):
        if isinstance(fn, functools.partial):
            fn = fn.func
        elif hasattr(fn, "__func__"):
            fn = fn.__func__
        elif hasattr(fn, "__code__"):
            return fn
        elif hasattr(fn, "__wrapped__"):
            fn = fn.__wrapped__
        elif callable(fn) and not isinstance(fn, type):
            fn = type(fn).__call__
        else:
            break
    return fn


def collect_all_code_objects(code: CodeType) -> List[CodeType]:
    """`code` and every code object nested in it, outermost first."""
    found = [code]
    for one in found:
        found.extend(c for c in one.co_consts if isinstance(c, CodeType))
    return found


def safe_create_directory(path: str) -> None:
    """Creates a directory and its parents; a directory that is already there is fine, a file in its place is not."""
    os.makedirs(path, exist_ok=True)
