"""A progress bar on standard error that is silent where nobody watches, and tables in plain text.

No dependency; used by every tool here that runs for more than a few seconds.
"""

from __future__ import annotations

import sys
import time
from typing import Any, Iterable, Iterator, List, Optional, Sequence, TypeVar

Item = TypeVar("Item")


def progress(items: Iterable[Item], total: Optional[int] = None, label: str = "", always: bool = False) -> Iterator[Item]:
    """Yield the items while drawing how far it is and how long it will take."""
    length = total if total is not None else len(items) if hasattr(items, "__len__") else 0  # type: ignore[arg-type]
    shown = always or sys.stderr.isatty()
    start = last = time.monotonic()
    for done, item in enumerate(items, 1):
        yield item
        now = time.monotonic()
        if shown and (now - last > 0.2 or done == length):
            last = now
            left = (now - start) / done * (length - done)
            filled = 24 * done // max(length, 1)
            bar = "#" * filled + "." * (24 - filled)
            print(f"\r{label} [{bar}] {done}/{length}  {left:4.0f} s left ", end="", file=sys.stderr, flush=True)
    if shown:
        print("\r" + " " * 78 + "\r", end="", file=sys.stderr, flush=True)


def table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Columns aligned right, the first one left."""
    cells = [list(header)] + [[f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row] for row in rows]
    widths = [max(len(line[column]) for line in cells) for column in range(len(header))]

    def written(line: List[str]) -> str:
        return "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths))
        ).rstrip()

    return "\n".join([written(cells[0]), "  ".join("-" * width for width in widths)] + [written(line) for line in cells[1:]])


def percent(part: int, whole: int) -> str:
    """'99.93 %', and never 100 % of what is not whole."""
    if whole == 0:
        return "-"
    share = 100.0 * part / whole
    return "100 %" if part == whole else f"{min(share, 99.99):.2f} %"
