"""`index.md`: the session for people, in reading order, from the data of `session.json` alone.

Links are relative, so they work in an editor and on a code host; what differs from run to run stands at the end.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from typing import Any, Dict, List, Optional, Sequence, Tuple
from urllib.parse import quote

from depyf.inspector.renderers.ranks import ranks
from depyf.inspector.renderers.text import values_text
from depyf.inspector.session import totals


def index(
    data: Optional[Dict[str, Any]],
    others: Dict[str, Optional[Dict[str, Any]]],
    root: str,
    compared: Sequence[Dict[str, Any]] = (),
) -> str:
    """The index of one folder's session, and of the sessions in folders below it, by their relative name."""
    lines = ["# What torch.compile did", ""]
    if data is not None:
        lines += _session(data, root)
    elif not others:
        lines += ["Nothing is recorded here yet.", ""]
    if others:
        lines += _others(data, others)
    if compared:
        lines += ranks(list(compared))
    if data is not None:
        lines += _timings(data)
    return "\n".join(lines).rstrip() + "\n"


def _session(data: Dict[str, Any], root: str) -> List[str]:
    count = totals(data)
    lines = [
        f"PyTorch {data['torch']}, Python {data['python']}: {_plural(count['functions'], 'function')}, "
        f"{_plural(count['compilations'], 'compilation')}, {_plural(count['graph_breaks'], 'graph break')}, "
        f"{_plural(count['recompiles'], 'recompilation')}; transformed code: {count['transformed']}, "
        f"proven EQUAL {count['equal']}, linked {count['linked']}.",
        "",
    ]
    if count["given_up"]:
        verb = "was" if count["given_up"] == 1 else "were"
        lines += [f"{_plural(count['given_up'], 'frame')} {verb} not compiled: see below.", ""]
    elif not data["functions"] and not data.get("outside") and not data.get("shown"):
        lines += [
            "PyTorch compiled nothing in this time. What was compiled before and is still there would be shown; generator "
            "functions and functions without tensors are not compiled.",
            "",
        ]
    if not data.get("finished"):
        lines += ["The program was still running when this was written.", ""]
    if data["problems"]:
        lines += ["Problems inside depyf (the program was not affected):", ""]
        problems = Counter(f"{p['where']}: {_escape(p['what'])}" for p in data["problems"])
        lines += [f"- {what}" + (f" ({times} times)" if times > 1 else "") for what, times in problems.items()] + [""]
    for function in data["functions"]:
        lines += _function(function, root)
    if data.get("outside"):
        lines += ["## Frames that were not compiled, and graphs that no compiled function calls", ""]
        for compilation in data["outside"]:
            lines += _compilation(compilation, root)
    if data.get("shown"):
        lines += ["## Graphs shown outside of any compilation", ""]
        lines += [f"- {_link(name)}" for name in data["shown"]] + [""]
    return lines


def _function(function: Dict[str, Any], root: str) -> List[str]:
    where = _source(function["file"], function["line"], root)
    if function["resume"]:
        lines = [f"### `{function['called_as'] or function['name']}`: `{function['name']}`, {where}", ""]
    else:
        lines = [f"## `{function['qualname']}`, {where}", ""]
        if function["full_code"]:
            lines += [f"All of it in one file: {_link(function['full_code'])}", ""]
    for compilation in function["compilations"]:
        lines += _compilation(compilation, root)
    if not function["compilations"]:
        lines += ["Not compiled.", ""]
    return lines


def _compilation(compilation: Dict[str, Any], root: str) -> List[str]:
    title = f"**{compilation['compile_id']}**"
    if not compilation["transformed"] and compilation["where"]:
        title += f" {_frame(compilation['where'], root)}"
    if compilation["before_entering"]:
        title += " (compiled before prepare_debug was entered)"
    if compilation["failure"]:
        title += f": failed: {_escape(compilation['failure'])}"
    lines = [title, ""]
    for reason in compilation["recompiles"]:
        values = values_text(reason["old"], reason["new"])
        lines.append(
            f"- compiled because {reason['entry'] or 'an entry'} did not fit: `{' '.join(reason['guard'].split())}`{values}"
        )
    for found in compilation["graph_breaks"]:
        place = _source(found["file"], found["line"], root) if found["file"] else "unknown line"
        lines.append(f"- the graph breaks at {place}: {_escape(found['reason'])}")
        lines += [f"  - {advice}" for advice in _advice(found)]
    failed = compilation["failed_at"]
    if failed and not compilation["graph_breaks"]:  # which tell the same
        lines += [f"- it failed at {_source(failed['file'], failed['line'], root)}"] if failed["file"] else []
        lines += [f"{'  ' if failed['file'] else ''}- {advice}" for advice in _advice(failed)]
    code = compilation["transformed"]
    if code is not None:
        state = code["status"] + (", linked" if code["linked"] else f", not linked: {_escape(code['reason'])}")
        lines.append(f"- transformed code: {_link(code['file'])} ({state})")
    for graph in compilation["graphs"]:
        stages = [f"{_link(file['file'], file['stage'])}" for file in graph["files"] if file["file"]]
        lines.append(f"- graph `{graph['name']}`: {', '.join(stages) or 'no stage recorded'}")
    if compilation["guards"]:
        lines.append(f"- {_plural(len(compilation['guards']), 'guard')}")
    lines += [f"- symbol {_escape(symbol)}" for symbol in compilation["symbols"]]
    return [*lines, ""]


def _advice(found: Dict[str, Any]) -> List[str]:
    explanation = [_escape(found["explanation"])] if found["explanation"] else []
    return explanation + [f"hint: {_escape(hint)}" for hint in found["hints"]]


def _others(data: Optional[Dict[str, Any]], others: Dict[str, Optional[Dict[str, Any]]]) -> List[str]:
    lines = ["## Processes", ""]
    lines += [
        "| folder | process | functions | compilations | graph breaks | transformed | equal | linked | problems |"
    ]
    lines += ["|---|---|---|---|---|---|---|---|---|"]
    rows: List[Any] = [("(here)", None, data)] if data is not None else []
    rows += [(name, f"{name}/index.md", other) for name, other in others.items()]
    for name, target, other in rows:
        label = name if target is None else f"[{name}]({quote(target)})"
        if other is None:
            lines.append(f"| {label} | still running, or ended early | | | | | | | |")
            continue
        count = totals(other)
        who = other["process"] if other.get("rank") is None else f"{other['process']}, rank {other['rank']}"
        keys = ("functions", "compilations", "graph_breaks", "transformed", "equal", "linked", "problems")
        cells = " | ".join(str(count[key]) for key in keys)
        lines.append(f"| {label} | {who} | {cells} |")
    return [*lines, ""]


def _timings(data: Dict[str, Any]) -> List[str]:
    rows = []
    for function in data["functions"]:
        for compilation in function["compilations"]:
            if not compilation["timings"] and not compilation["caches"]:
                continue
            longest = _longest(compilation["timings"])
            times = ", ".join(f"{name} {seconds:.3f} s" for name, seconds in longest)
            caches = ", ".join(f"{name} {count}" for name, count in sorted(compilation["caches"].items()))
            rows.append(f"| {compilation['compile_id']} | `{function['name']}` | {times} | {caches} |")
    if not rows:
        return []
    return [
        "## Timings and caches",
        "",
        "| compile id | function | time by phase | caches |",
        "|---|---|---|---|",
        *rows,
        "",
    ]


def _longest(timings: Dict[str, float]) -> List[Tuple[str, float]]:
    """The phases that took longest; PyTorch has several names for some of them, of which one is enough."""
    different = {round(seconds, 4): (name, seconds) for name, seconds in reversed(list(timings.items()))}
    return sorted(different.values(), key=lambda item: -item[1])[:6]


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _link(file: str, label: Optional[str] = None) -> str:
    return f"[{label or file}]({quote(file)})"


def _source(file: str, line: int, root: str) -> str:
    name = os.path.basename(file)
    if not os.path.isabs(file) or not os.path.exists(file):
        return f"`{name}:{line}`"
    try:
        relative = os.path.relpath(file, root).replace(os.sep, "/")
    except ValueError:  # another drive
        return f"`{file}:{line}`"
    return f"[{name}:{line}]({quote(relative)}#L{line})"


def _frame(where: str, root: str) -> str:
    """`name (file:line)`, with a link."""
    match = re.match(r"(.*) \((.+):(\d+)\)$", where)
    if match is None:
        return _escape(where)
    return f"`{match.group(1)}`, {_source(match.group(2), int(match.group(3)), root)}"


def _escape(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
