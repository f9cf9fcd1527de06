"""What a compiled function does, as text, without a dump directory.

`dump_src` reads PyTorch's cache entries of one function and gives back what `full_code_for_*` would hold.
"""

from __future__ import annotations

import functools
import platform
from types import CodeType
from typing import Any, Dict, List, Set

__all__ = ["dump_src"]


def dump_src(function: Any, *ignored: Any, **also_ignored: Any) -> str:
    """The whole workflow of a compiled function as Python: dispatch, guards, transformed code, graphs, resume functions.

    `function` is a function, a method, a module, what `torch.compile` made of one, or the original code object. Further
    arguments, such as the module that older callers pass, are not needed. Nothing is written and nothing is linked.
    """
    from depyf import compatibility
    from depyf.inspector import finish, live
    from depyf.inspector.directory import DumpDirectory
    from depyf.inspector.recorder import Recorder
    from depyf.inspector.renderers.full_code import full_code
    from depyf.inspector.session import Session

    class Nowhere(DumpDirectory):
        def write(self, name: str, text: str) -> str:
            return name

    code = _code_of(function)
    session = Session("", compatibility.version(), platform.python_version())
    recorder = Recorder(session, Nowhere("."))
    pending: List[CodeType] = [code]
    seen: Set[int] = set()
    while pending:
        current = pending.pop(0)
        if id(current) in seen:
            continue
        seen.add(id(current))
        entries = [live.Earlier(current, entry) for entry in reversed(compatibility.cache_entries(current))]
        live.record_earlier(recorder, entries)
        pending.extend(f.code for f in session.functions if f.code is not None and id(f.code) not in seen)
    top = session.function_of(code)
    if not top.compilations:
        raise ValueError(f"{code.co_name} has no compiled code: call it at least once under torch.compile first")
    live.note_dispatch(recorder)
    for found in session.functions:
        finish.add_source(found)
    neighbours: Dict[str, Any] = {}
    return full_code(session, top, neighbours)


def _code_of(function: Any) -> CodeType:
    """The code object that Dynamo's cache entries hang on."""
    value = function
    for _ in range(20):
        if isinstance(value, CodeType):
            return value
        if isinstance(value, functools.partial):
            value = value.func
            continue
        inner = None
        for name in ("_torchdynamo_orig_callable", "_orig_mod", "__func__", "__wrapped__", "__code__"):
            inner = getattr(value, name, None)
            if inner is not None:
                break
        if inner is None and hasattr(value, "forward"):
            inner = value.forward
        if inner is None and callable(value) and not isinstance(value, type):
            inner = type(value).__call__
        if inner is None:
            break
        value = inner
    raise TypeError(f"cannot find the code of {function!r}")
