"""The user's lines beside the calls of transformed code, as comments.

A traceback shows the lines of dumped files where their code runs; so it shows the user's own lines as well. Lines are neither
added nor moved, and whatever would change the program is left out.
"""

from __future__ import annotations

import ast
import dis
import linecache
import os
import re
from types import CodeType
from typing import Any, Dict, Iterator, List, Tuple

_LONGEST = 100
_GRAPH_CALL = re.compile(r"\s*(?:graph_out_\d+ = |__import_torch_dot__dynamo_dot_utils\.record_pregraph)")


def with_origins(text: str, code: CodeType, line_map: List[Any]) -> str:
    """`text`, decompiled from `code`, with the user's line behind each statement that calls on its behalf.

    What Dynamo adds itself has the first line of the code, which tells nothing; but a resume function may begin with the line in
    which it goes on, so there that line counts as soon as the graph has run.
    """
    calls = _lines_of_calls(code)
    resumes = "resume_in_" in code.co_name
    if not resumes and set(calls.values()) <= {code.co_firstlineno}:
        return text
    here: Dict[int, List[int]] = {}
    for mapping in line_map:
        if mapping.code is code:
            here.setdefault(mapping.line, []).extend(offset for offset in mapping.offsets if offset in calls)
    lines = text.split("\n")
    dynamo_ends = len(lines)
    if resumes:
        dynamo_ends = max((number for number, line in enumerate(lines, 1) if _GRAPH_CALL.match(line)), default=0)
    for first, last in _statements(text):
        found = [offset for line in range(first, last + 1) for offset in here.get(line, ())]
        origin = calls[max(found)] if found else code.co_firstlineno
        if origin != code.co_firstlineno or (found and first > dynamo_ends):
            lines[first - 1] += f"  # {_shown(code.co_filename, origin)}"
    return "\n".join(lines)


def _lines_of_calls(code: CodeType) -> Dict[int, int]:
    from depyf.bytecode.lines import line_of_each_offset

    lines = line_of_each_offset(code)
    calls = [i.offset for i in dis.get_instructions(code) if i.opname.startswith("CALL") and "INTRINSIC" not in i.opname]
    found = {offset: lines.get(offset) for offset in calls}
    return {offset: line for offset, line in found.items() if line is not None}


def _statements(text: str) -> Iterator[Tuple[int, int]]:
    """The first and the last line of each statement that holds no other, nor a string over several lines."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, (ast.Assign, ast.Expr, ast.Return, ast.AugAssign)) and node.end_lineno is not None:
            if node.lineno == node.end_lineno or not _has_long_string(node):
                yield node.lineno, node.end_lineno


def _has_long_string(statement: ast.AST) -> bool:
    strings = (node for node in ast.walk(statement) if isinstance(node, (ast.Constant, ast.JoinedStr)))
    return any(node.lineno != node.end_lineno for node in strings)


def _shown(file: str, line: int) -> str:
    source = " ".join(linecache.getline(file, line).split())
    source = source if len(source) <= _LONGEST else source[: _LONGEST - 3] + "..."
    place = f"{os.path.basename(file)}:{line}"
    return f"{place}: {source}" if source else place
