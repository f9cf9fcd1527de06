"""Whether the ranks of one run compiled the same, and where they part if not: each rank is held against the first.

Works on the data of `session.json` and the text of graph files. Names that are unique to a process, the number of a device, and
comments do not count.
"""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

from depyf.inspector.naming import plain_graph_names

Data = Dict[str, Any]
Read = Callable[[str], str]

_RANK = re.compile(r"rank_\d+")
_DEVICES = (
    (re.compile(r"\b(cuda|xpu|hpu|npu|mps):\d+"), r"\1:*"),
    (re.compile(r"(device\(type='\w+', index=)\d+\)"), r"\1*)"),
    (re.compile(r"\b(_DeviceGuard|set_device|get_raw_stream)\(\d+\)"), r"\1(*)"),
    (re.compile(r"\bstream\d+\b"), "stream*"),
)


def compare(sessions: Dict[str, Optional[Data]], read: Read) -> List[Data]:
    """One result for each further rank; empty when there are not two. `read` gives the text of a file below the root."""
    ranks = [name for name in sessions if _RANK.fullmatch(name)]
    if len(ranks) < 2:
        return []
    first = ranks[0]
    return [_against(first, sessions[first], name, sessions[name], read) for name in ranks[1:]]


def _against(first: str, one: Optional[Data], second: str, other: Optional[Data], read: Read) -> Data:
    result: Data = {"ranks": [first, second], "graphs": 0, "equal": 0, "parts": [], "finished": False}
    if one is None or other is None:
        return result
    result["finished"] = bool(one.get("finished")) and bool(other.get("finished"))
    left, right = _functions(one), _functions(other)
    for key, function in left.items():
        if key not in right:
            result["parts"].append(_part(function, "", f"compiled by {first}, not by {second}"))
        else:
            _compare_function(result, function, right[key], read)
    for key, function in right.items():
        if key not in left:
            result["parts"].append(_part(function, "", f"compiled by {second}, not by {first}"))
    return result


def _functions(data: Data) -> Dict[Tuple[Any, ...], Data]:
    """Functions by what they are in the program; the same code may be compiled as several functions, which are numbered."""
    found: Dict[Tuple[Any, ...], Data] = {}
    for function in data["functions"]:
        if not function["compilations"]:
            continue
        number = 0
        while (function["qualname"], function["file"], function["line"], number) in found:
            number += 1
        found[(function["qualname"], function["file"], function["line"], number)] = function
    return found


def _compare_function(result: Data, left: Data, right: Data, read: Read) -> None:
    ones, others = left["compilations"], right["compilations"]
    for one, other in zip(ones, others):
        _compare_compilation(result, left, one, other, read)
    if len(ones) != len(others):
        first, second = result["ranks"]
        extra = (ones if len(ones) > len(others) else others)[min(len(ones), len(others))]
        why = "".join(f"; {extra['compile_id']} because of `{r['guard']}`" for r in extra["recompiles"][:1])
        what = f"compiled {len(ones)} times by {first}, {len(others)} times by {second}{why}"
        result["parts"].append(_part(left, extra["compile_id"], what))


def _compare_compilation(result: Data, function: Data, one: Data, other: Data, read: Read) -> None:
    """Notes the first thing that differs: what comes later follows from it."""
    first, second = result["ranks"]
    parted: Optional[Data] = None
    breaks, other_breaks = _breaks(one), _breaks(other)
    if breaks != other_breaks:
        what = f"the graph breaks at {breaks or 'no line'} in {first}, at {other_breaks or 'no line'} in {second}"
        parted = _part(function, one["compile_id"], what)
    files, other_files = list(_files(one)), list(_files(other))
    for (stage, file), (other_stage, other_file) in zip(files, other_files):
        result["graphs"] += 1
        where = None
        if stage == other_stage:
            where = first_difference(read(f"{first}/{file}"), read(f"{second}/{other_file}"))
            if where is None:
                result["equal"] += 1
                continue
        if parted is None:
            parted = _part(function, one["compile_id"], stage if stage == other_stage else f"{stage} against {other_stage}")
            line, text, other_line, other_text = where or (0, "", 0, "")
            parted["files"] = [
                {"file": f"{first}/{file}", "line": line, "text": text},
                {"file": f"{second}/{other_file}", "line": other_line, "text": other_text},
            ]
    if len(files) != len(other_files):
        result["graphs"] += abs(len(files) - len(other_files))
        what = f"{len(files)} files of graphs in {first}, {len(other_files)} in {second}"
        parted = parted or _part(function, one["compile_id"], what)
    if parted is not None:
        result["parts"].append(parted)


def _breaks(compilation: Data) -> List[str]:
    return [f"{found['file']}:{found['line']}" for found in compilation["graph_breaks"]]


def _files(compilation: Data) -> Iterator[Tuple[str, str]]:
    for graph in compilation["graphs"]:
        for file in graph["files"]:
            if file["file"]:
                yield file["stage"], file["file"]


def _part(function: Data, compile_id: str, what: str) -> Data:
    place = {"function": function["qualname"], "file": function["file"], "line": function["line"]}
    return {**place, "compile_id": compile_id, "what": what, "files": []}


def first_difference(text: str, other: str) -> Optional[Tuple[int, str, int, str]]:
    """(line, text, other line, other text) where two graphs part, or None. Line 0 is the end."""
    ones, others = _lines(text), _lines(other)
    for index in range(max(len(ones), len(others))):
        one = ones[index] if index < len(ones) else (0, "", "")
        two = others[index] if index < len(others) else (0, "", "")
        if one[2] != two[2]:
            return one[0], one[1], two[0], two[1]
    return None


def _lines(text: str) -> List[Tuple[int, str, str]]:
    """(number, text, what counts of it) of the lines that say something."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        counted = plain_graph_names(line.strip())
        if counted and not counted.startswith("#"):
            for pattern, replacement in _DEVICES:
                counted = pattern.sub(replacement, counted)
            found.append((number, line.strip(), counted))
    return found
