"""Rows of text as a table: the first row is its head. Long cells are cut in the middle, where paths and names differ least."""

from __future__ import annotations

from typing import List

_WIDEST = 72


def table(rows: List[List[str]]) -> str:
    """The rows with columns aligned; numbers to the right."""
    cells = [[_cut(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    numeric = [all(_is_number(row[column]) for row in cells[1:]) for column in range(len(cells[0]))]
    lines = []
    for row in cells:
        padded = (cell.rjust(width) if right else cell.ljust(width) for cell, width, right in zip(row, widths, numeric))
        lines.append("  " + "  ".join(padded).rstrip())
    lines.insert(1, "  " + "  ".join("-" * width for width in widths))
    return "\n".join(lines)


def _cut(cell: str) -> str:
    if len(cell) <= _WIDEST:
        return cell
    half = (_WIDEST - 1) // 2
    return f"{cell[:half]}…{cell[-half:]}"


def _is_number(cell: str) -> bool:
    return cell.replace(".", "", 1).replace("%", "").strip().isdigit() or not cell
