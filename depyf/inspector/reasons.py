"""Reads PyTorch's texts: guards, and reasons for graph breaks and failures. Pure functions from text to session data.

Nothing here may fail on a text that it does not know: such a text is kept whole.
"""

from __future__ import annotations

import ast
import json
import linecache
import re
from typing import Any, Callable, Dict, List, Optional, Tuple

from depyf.inspector.recompiles import resolve
from depyf.inspector.session import GraphBreak, Guard

_LEAF = re.compile(r"^[|\s]*\+- ([A-Z][A-Z0-9_]+)(?:: (.*))?$")
_PLACE = re.compile(r"^\S.*:\d+ in \S+")
_HINT = re.compile(r"\s*\(HINT: .*\)$")
_DICT = re.compile(r"^[|\s]*\+- (?:ValueManager: )?DictGuardManager: source=(.*?), (?:accessed_by=|type=)")
_MODULE_ACCESS = re.compile(r"\._(?:modules|parameters|buffers)\['([A-Za-z_]\w*)'\]")
_MODULE_INDEX = re.compile(r"\._modules\['(\d+)'\]")
_CONTAINERS = "ModuleList Sequential ModuleDict".split()


def guards_of(text: str, local_values: Optional[Dict[str, Any]] = None) -> List[Guard]:
    """The guards in the text of a guard manager, in the order in which they are checked.

    A dict guard checks the size of the dict without printing it; the values of the frame's variables tell it.
    """
    guards = []
    for line in text.splitlines():
        match = _DICT.match(line)
        if match is not None and local_values is not None:
            guard = _dict_size(match.group(1), local_values)
            if guard is not None:
                guards.append(guard)
        match = _LEAF.match(line)
        if match is not None and match.group(2):
            guards.append(guard_of(match.group(1), match.group(2).strip()))
    return guards


def text_of_guards(payload: str, file_name: Callable[[Any], str]) -> str:
    """A list of guards, each with its frames, in the form in which a guard manager prints them."""
    lines = []
    for guard in json.loads(payload):
        frames = guard.get("user_stack") or []
        place = ""
        if frames:
            file, number = file_name(frames[-1].get("filename")), int(frames[-1].get("line") or 0)
            short = "/".join(file.replace("\\", "/").split("/")[-2:])
            place = f"  # {linecache.getline(file, number).strip()}  # {short}:{number} in {frames[-1].get('name')}"
        lines.append(f"+- GUARD: {guard.get('code')}{place}")
    return "\n".join(lines)


def _dict_size(source: str, local_values: Dict[str, Any]) -> Optional[Guard]:
    try:
        tree = ast.parse(source, mode="eval").body
        value = resolve(tree, local_values)
        shown = tree
        if isinstance(tree, ast.Attribute) and tree.attr == "_modules":
            if type(resolve(tree.value, local_values)).__name__ in _CONTAINERS:
                shown = tree.value  # the length of a container of modules is that of its dict
        if not isinstance(value, dict):
            return None
    except (SyntaxError, ValueError, LookupError, AttributeError):
        return None
    length = len(value)
    text = f"len({source}) == {length}"
    segment = source if shown is tree else source[: -len("._modules")]
    return Guard("DICT_SIZE", text, _shorter(f"len({segment}) == {length}"))


def guard_of(kind: str, text: str) -> Guard:
    """`expression  # the user's line  # file:line in function`, any part of which may be missing or not Python."""
    for cut in _comment_starts(text):
        expression, note = _python_part(text[:cut].strip())
        if expression is not None:
            cause, place = _cause(text[cut:])
            return Guard(kind, text, _shorter(expression), note, cause, place)
    cut = _comment_starts(text)[0]
    cause, place = _cause(text[cut:])
    return Guard(kind, text, None, text[:cut].strip(), cause, place)


def _comment_starts(text: str) -> List[int]:
    return [match.start() for match in re.finditer(r"\s+# ", text)] + [len(text)]


def _python_part(text: str) -> Tuple[Optional[str], str]:
    """(the part of a guard that is Python, what follows it)."""
    if _parses(text):
        return text, ""
    for separator in (", type=<", " against ", " (HINT: ", " (user code "):
        head, found, tail = text.partition(separator)
        if found and _parses(head):
            return head, (found + tail).strip(" ,")
    return None, text


def _parses(text: str) -> bool:
    if not text or "\n" in text:
        return False
    try:
        ast.parse(f"({text})", mode="eval")  # in brackets, as it will be written: so no comment may hide in it
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _shorter(expression: str) -> str:
    """`L['self'].fs` for `L['self']._modules['fs']`: the same object, as people write it."""
    return _MODULE_INDEX.sub(r"[\1]", _MODULE_ACCESS.sub(r".\1", expression))


def _cause(comment: str) -> Tuple[str, str]:
    """(the user's source line, `file:line in function`) from the comments behind a guard."""
    parts = [part.strip() for part in re.split(r"\s*# ", comment) if part.strip()]
    place = ""
    if parts and _PLACE.match(parts[-1]):
        place = _HINT.sub("", parts.pop())  # what it says of types stands beside the guard
    return "  # ".join(parts), place


def graph_break_of(text: str) -> GraphBreak:
    """The payload of `dynamo_graph_break_reason`: its first paragraphs, and the user's line."""
    found = GraphBreak(reason="", text=text)
    match = re.search(r"^Graph break in user code at (.+):(\d+)\s*$", text, re.M)
    if match:
        found.file, found.line = match.group(1), int(match.group(2))
    found.reason = " ".join(_reason_lines(text)) or _first_line(text)
    match = re.search(r"^\s*Explanation: (.*)$", text, re.M)
    if match:
        found.explanation = match.group(1).strip()
    found.hints = list(dict.fromkeys(hint.strip() for hint in re.findall(r"^\s*Hint: (.*)$", text, re.M)))
    return found


def _reason_lines(text: str) -> List[str]:
    """The reason, and the inner one where the outer only says that there is one."""
    lines: List[str] = []
    for line in re.findall(r"^(?:Graph Break Reason|Reason|Graph break): (.*)$", text, re.M):
        if not lines or (lines[-1].endswith(":") and line.strip() not in lines):
            lines.append(line.strip())
    if lines and lines[-1].endswith(":"):
        following = text.partition(lines[-1])[2].strip().splitlines()
        lines += [following[0].strip()] if following else []
    return lines


def _first_line(text: str) -> str:
    for line in text.splitlines():
        if line.strip() and not line.startswith("Graph break in user code at"):
            return line.strip()
    return text.strip()


def failure_of(reason: str, file: str = "", line: int = 0) -> GraphBreak:
    """Why a frame was given up, as PyTorch tells it with its metrics, and the user's line."""
    found = graph_break_of(reason)
    lines = [part.strip() for part in reason.strip().splitlines() if part.strip()]
    found.reason = " ".join(lines[: 2 if lines[0].endswith(":") else 1]) if lines else ""
    found.file, found.line = file or found.file, line or found.line
    return found
