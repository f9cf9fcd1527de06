"""Pausing through `breakpoint()`, so that PYTHONBREAKPOINT, ipdb, VS Code and PyCharm work; and when not to.

Where nobody could answer (no terminal, no debugger attached) a pause would hang or end the program: then we only say so.
"""

from __future__ import annotations

import os
import sys
from typing import Dict, List


def somebody_can_answer() -> bool:
    """Whether a pause reaches a person: a debugger has taken over, another one was chosen, or there is a terminal."""
    if sys.breakpointhook is not sys.__breakpointhook__ or sys.gettrace() is not None:
        return True
    chosen = os.environ.get("PYTHONBREAKPOINT")
    if chosen is not None and chosen not in ("", "pdb.set_trace"):
        return True
    try:
        return sys.stdin is not None and sys.stdin.isatty()
    except ValueError:  # closed
        return False


def say(lines: List[str]) -> None:
    """Messages of ours, apart from what the program prints."""
    print("\n".join(f"depyf: {line}" for line in lines), file=sys.stderr, flush=True)


def where_files_are(files: List[str]) -> List[str]:
    """A few lines: the folders, and what can be stepped through in each."""
    folders: Dict[str, List[str]] = {}
    for path in files:
        folders.setdefault(os.path.dirname(path), []).append(os.path.basename(path))
    lines = []
    for folder, names in folders.items():
        shown = ", ".join(sorted(names)[:4]) + (", …" if len(names) > 4 else "")
        lines.append(f"{len(names)} files to step through in {folder}: {shown}")
    return lines


def pause_for_breakpoints() -> None:
    """The program waits here. Set breakpoints in the files named above, then continue."""
    breakpoint()
