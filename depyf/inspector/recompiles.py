"""Why a function was compiled again: PyTorch's texts, and the values that a guard expected and found.

Values are read out of the frame being compiled without running any code of the user's. A text that is not known is kept whole.
"""

from __future__ import annotations

import ast
import json
import re
from collections import OrderedDict
from typing import Any, Callable, Dict, List, Optional, Pattern, Tuple

from depyf.inspector.session import Recompile

_HINT = re.compile(r"\s*\(HINT: [^#]*\)$")
_PLAIN = (int, float, bool, str, type(None))
_SIZED = (list, tuple, dict, set, frozenset, str, OrderedDict)
_NAME = r"(?P<name>[\w.\[\]']+)"


def recompiles_of(payload: str, values: Optional[Dict[str, Any]] = None) -> List[Recompile]:
    """The payload of `recompile_reasons`: a JSON list of `entry: guard` in some releases, lines in others.

    `values` are the variables of the frame that did not fit, with its globals as `G`.
    """
    reasons: Any = [payload]
    try:
        loaded = json.loads(payload)
        reasons = loaded if isinstance(loaded, list) else [str(loaded)]
    except ValueError:
        pass
    found = []
    for reason in reasons:
        for line in str(reason).partition("\nUser stack trace:")[0].splitlines():
            if line.strip(" -"):
                found.append(_recompile_of(line.strip(" -"), values or {}))
    return found


def _recompile_of(line: str, values: Dict[str, Any]) -> Recompile:
    entry, colon, guard = line.partition(": ")
    if not colon or not re.match(r"^!?\d+(/\d+)*$", entry):
        entry, guard = "", line
    found = Recompile(entry, _HINT.sub("", guard))
    text = re.split(r"\s+# ", guard)[0].strip()
    for pattern, tell in _GUARDS:
        match = pattern.search(text)
        if match:
            found.old, found.new = tell(match, values)
            break
    return found


# --- the values on both sides, for each form of a guard's text

Told = Tuple[Optional[str], Optional[str]]


def _both(match: Any, values: Dict[str, Any]) -> Told:
    return match.group("old"), match.group("new")


def _flag(match: Any, values: Dict[str, Any]) -> Told:
    old = match.group("old") not in ("0", "False")
    return str(old), str(not old)


def _value(match: Any, values: Dict[str, Any]) -> Told:
    return match.group("old"), _described(match.group("name"), values)


def _length(match: Any, values: Dict[str, Any]) -> Told:
    value = value_of(match.group("name"), values)
    return match.group("old"), str(len(value)) if type(value) in _SIZED else None


def _type(match: Any, values: Dict[str, Any]) -> Told:
    value = value_of(match.group("name"), values, _MISSING)
    return match.group("old"), None if value is _MISSING else _type_name(value)


def _identity(match: Any, values: Dict[str, Any]) -> Told:
    old, new = _type(match, values)
    return f"one {old}", None if new is None else (f"another {new}" if new == old else f"one {new}")


def _size(match: Any, values: Dict[str, Any]) -> Told:
    value = value_of(match.group("name"), values)
    index = int(match.group("index"))
    sizes = tuple(value.shape) if _is_tensor(value) else ()
    return None, f"{match.group(0)} = {int(sizes[index])}" if index < len(sizes) else None


_GUARDS: List[Tuple[Pattern[str], Callable[[Any, Dict[str, Any]], Told]]] = [
    (re.compile(r"expected (?P<old>.+?),? (?:but got|actual|got) (?P<new>.+?)\.?$"), _both),
    (re.compile(r"requires_grad mismatch\. expected requires_grad=(?P<old>\w+)$"), _flag),
    (re.compile(rf"^{_NAME} == (?P<old>.+)$"), _value),
    (re.compile(rf"^{_NAME} is (?P<old>None)$"), _value),
    (re.compile(rf"^len\({_NAME}\) == (?P<old>\d+)$"), _length),
    (re.compile(rf"^___check_type_id\({_NAME}, \d+\), type=<class '(?P<old>[^']+)'>"), _type),
    (re.compile(rf"^___check_obj_id\({_NAME}, \d+\), type=<class '(?P<old>[^']+)'>"), _identity),
    (re.compile(rf"{_NAME}\.size\(\)\[(?P<index>\d+)\]"), _size),
]


# --- values of the frame

_MISSING = object()


def value_of(source: str, values: Dict[str, Any], missing: Any = None) -> Any:
    """The value of a guard's source in a frame, or `missing` where that would run code."""
    try:
        return resolve(ast.parse(source, mode="eval").body, values)
    except (SyntaxError, ValueError, LookupError, AttributeError, TypeError):
        return missing


def resolve(node: ast.AST, values: Dict[str, Any]) -> Any:
    """Plain dict and instance lookups only: no code of the user's runs."""
    if isinstance(node, ast.Name):
        return values if node.id == "L" else values[node.id]
    if isinstance(node, ast.Subscript):
        container = resolve(node.value, values)
        index: Any = node.slice
        key = ast.literal_eval(index.value if type(index).__name__ == "Index" else index)  # Index: Python 3.8
        if type(container) in (dict, list, tuple, OrderedDict):
            return container[key]
    if isinstance(node, ast.Attribute):
        return object.__getattribute__(resolve(node.value, values), "__dict__")[node.attr]
    raise LookupError(ast.dump(node))


def _described(source: str, values: Dict[str, Any]) -> Optional[str]:
    value = value_of(source, values, _MISSING)
    if value is _MISSING:
        return None
    return repr(value) if type(value) in _PLAIN else f"a {_type_name(value)}"


def _type_name(value: Any) -> str:
    kind = type(value)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _is_tensor(value: Any) -> bool:
    import torch

    return type(value) in (torch.Tensor, torch.nn.Parameter)
