"""The functions of Inductor's generated module with the lines of the file that it was dumped to.

The dump holds the same text under a header, so the code stays what it is and its lines move down.
"""

from __future__ import annotations

import linecache
from types import CodeType, FunctionType
from typing import Any, Dict, Iterator, List, Optional

from depyf.debugging.graph_lines import Relinked


def relinked(function: Any, text: str, path: str) -> List[Relinked]:
    """All functions of the module that `function` belongs to, as code of the file at `path`, which holds `text`."""
    inner = getattr(function, "__func__", function)
    if not isinstance(inner, FunctionType):
        return []
    origin = inner.__code__.co_filename
    generated = linecache.getlines(origin)
    down = _distance([line.rstrip() for line in generated], [line.rstrip() for line in text.splitlines()])
    if down is None:
        return []
    return [Relinked(f, _moved(f.__code__, origin, path, down)) for f in _functions_of(inner.__globals__, origin)]


def _distance(generated: List[str], dumped: List[str]) -> Optional[int]:
    """How many lines further down the dump shows the generated text; None when it shows another one."""
    shown = [line for line in generated if line]
    if not shown:
        return None
    for down in range(max(len(dumped) - len(generated), 0) + 8):
        at = dumped[down : down + len(generated)]
        if [line for line in at if line] == shown:
            return down
    return None


def _functions_of(namespace: Dict[str, Any], origin: str) -> Iterator[FunctionType]:
    for value in list(namespace.values()):
        candidates = list(vars(value).values()) if isinstance(value, type) else [value]
        for candidate in candidates:
            if isinstance(candidate, FunctionType) and candidate.__code__.co_filename == origin:
                yield candidate


def _moved(code: CodeType, origin: str, path: str, down: int) -> CodeType:
    constants = tuple(
        _moved(constant, origin, path, down) if isinstance(constant, CodeType) else constant
        for constant in code.co_consts
    )
    return code.replace(co_filename=path, co_firstlineno=code.co_firstlineno + down, co_consts=constants)
