"""Which compiled entry serves a call: found by evaluating the guards ourselves, which compiles nothing."""

from __future__ import annotations

from types import CodeType
from typing import Any, Dict, Iterator, Optional, Set

from depyf import compatibility
from depyf.optimization.direct import graph_names
from depyf.optimization.target import Target


def entries_of(target: Target) -> Iterator[Any]:
    """The entries PyTorch would try for a call of this target, in its order."""
    for entry in compatibility.live_entries(target.code):
        if target.same_backend(getattr(entry, "backend", None)):
            yield entry


def serving_entry(target: Target, frame_locals: Dict[str, Any]) -> Optional[Any]:
    """The entry whose guards accept these locals, or None."""
    with compatibility.as_in_a_call(target.context):
        for entry in entries_of(target):
            if compatibility.guards_hold(entry, frame_locals):
                return entry
    return None


def entry_of_code(target: Target, code: CodeType) -> Optional[Any]:
    """The entry that runs a code object, or what replaced it."""
    for entry in compatibility.live_entries(target.code):
        if same_compilation(entry.code, code):
            return entry
    return None


def same_compilation(a: CodeType, b: CodeType) -> bool:
    """Whether two code objects are one compilation: a bytecode hook may replace the code, its graphs stay the same."""
    names: Set[str] = set(graph_names(a))
    return a is b or (bool(names) and names == set(graph_names(b)))
