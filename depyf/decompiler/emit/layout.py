"""Breaks a line that is too long, inside brackets only, so that its meaning stays the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Tuple

if TYPE_CHECKING:
    from .statements import Printer


class Layout:
    def __init__(self, indentation: int, width: int, version: Tuple[int, int]) -> None:
        self.indentation = indentation
        self.width = width
        self.version = version

    def place(self, printer: Printer, text: str) -> None:
        first, *rest = text.split("\n")
        printer.lines.append(printer.indent + first)
        printer.marks.append(printer.w.marks)
        for line in rest:
            printer.lines.append(line)
            printer.marks.append([])
