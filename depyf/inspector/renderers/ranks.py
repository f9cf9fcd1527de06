"""The part of the overview that compares ranks: equal, or where they part, with links into both dumps."""

from __future__ import annotations

import os
from typing import Any, Dict, List
from urllib.parse import quote


def ranks(results: List[Dict[str, Any]]) -> List[str]:
    lines = ["## Ranks", ""]
    for result in results:
        first, second = result["ranks"]
        title = f"{second} against {first}: {_count(result)}"
        lines += [title + ("." if result["finished"] else ", while one of them was still running."), ""]
        bullets = [_bullet(part) for part in result["parts"]]
        lines += [*bullets, ""] if bullets else []
    return lines


def _count(result: Dict[str, Any]) -> str:
    graphs, equal, parts = result["graphs"], result["equal"], result["parts"]
    noun = "graph" if graphs == 1 else "graphs"
    if not graphs and not parts:
        return "no graphs yet"
    if not parts:
        return f"{graphs} {noun}, counted at every stage, and all are equal"
    places = "1 place" if len(parts) == 1 else f"{len(parts)} places"
    return f"{equal} of {graphs} {noun}, counted at every stage, are equal; they part in {places}"


def _bullet(part: Dict[str, Any]) -> str:
    place = f"`{part['function']}`, `{os.path.basename(part['file'])}:{part['line']}`"
    number = f" {part['compile_id']}" if part["compile_id"] else ""
    text = f"- {place}{number}: {_escaped(part['what'])}"
    if part["files"]:
        text += ": " + " against ".join(_line(file) for file in part["files"])
    return text


def _line(file: Dict[str, Any]) -> str:
    name = file["file"].split("/", 1)[0]
    if not file["line"]:
        return f"the end of [{name}]({quote(file['file'])})"
    shown = file["text"].replace("`", "'")
    return f"[{name}, line {file['line']}]({quote(file['file'])}#L{file['line']}) `{shown[:160]}`"


def _escaped(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
