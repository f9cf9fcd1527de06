"""Which code a long run examined: kept with its results, so that a reader knows how old a figure is."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXAMINED = ("depyf", "tests/torch", "gauntlet", "tools")  # what the outcome of the matrix and of the gauntlet depends on


def examined_commit(root: Path = ROOT) -> str:
    """The commit that is examined, with a + where what runs differs from it; empty where there is no git."""

    def git(*arguments: str) -> str:
        return subprocess.run(["git", *arguments], capture_output=True, text=True, cwd=str(root)).stdout.strip()

    try:
        changed = git("status", "--porcelain", "--untracked-files=no", "--", *EXAMINED)
        return git("rev-parse", "--short", "HEAD") + ("+" if changed else "")
    except OSError:
        return ""
