"""The resume file: one line of JSON a result, appended as it comes. The last line of a key counts.

A run that was interrupted, even in the middle of a line, goes on where it stopped. The file is part of the repository, so
a run also goes on in another checkout; each record says which commit it is of.
"""

from __future__ import annotations

import json
import os
from typing import Any, Dict, Tuple

Record = Dict[str, Any]
Key = Tuple[str, str, str]  # architecture, round, backend


def key_of(record: Record) -> Key:
    return record["name"], record["round"], record["backend"]


def load(path: str) -> Dict[Key, Record]:
    found: Dict[Key, Record] = {}
    if not os.path.exists(path):
        return found
    with open(path, encoding="utf-8") as stream:
        for line in stream:
            try:
                record = json.loads(line)
                found[key_of(record)] = record
            except (ValueError, KeyError, TypeError):  # the run was killed while it wrote this line
                continue
    return found


def append(path: str, record: Record) -> None:
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    text = json.dumps(record, sort_keys=True) + "\n"
    with open(path, "ab") as stream:
        if stream.tell() and not _ends_with_newline(path):
            text = "\n" + text
        stream.write(text.encode("utf-8"))


def _ends_with_newline(path: str) -> bool:
    with open(path, "rb") as stream:
        stream.seek(-1, os.SEEK_END)
        return stream.read(1) == b"\n"


def tidy(path: str) -> None:
    """One line for each key, in order: what was run again replaces what was before."""
    if not os.path.exists(path):
        return
    lines = [json.dumps(record, sort_keys=True) + "\n" for _, record in sorted(load(path).items())]
    with open(path + ".part", "w", encoding="utf-8") as stream:
        stream.writelines(lines)
    os.replace(path + ".part", path)


def settled(record: Record) -> bool:
    """Whether running it again would only say the same: it passed, or it does not run without depyf either."""
    return record["outcome"] in ("passed", "not run")
