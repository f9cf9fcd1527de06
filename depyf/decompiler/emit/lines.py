"""The result of emitting: text, and for each of its lines the bytecode offsets of what stands on it."""

from __future__ import annotations

from typing import Any, Dict, List, Optional


class Emitted:
    """What `emit` gives back.

    `objects` maps the placeholders in the text to the constants they stand for, `renamed` the names in the text
    to the illegal names of the bytecode that they stand for.
    """

    __slots__ = ("text", "objects", "renamed", "_marks", "_line_offsets")

    def __init__(self, text: str, objects: Dict[str, Any], renamed: Dict[str, str], marks: List[List[int]]) -> None:
        self.text = text
        self.objects = objects
        self.renamed = renamed
        self._marks = marks
        self._line_offsets: Optional[List[List[int]]] = None

    @property
    def line_offsets(self) -> List[List[int]]:
        """One entry for each line of the text: the bytecode offsets it came from, in order, each once."""
        if self._line_offsets is None:
            self._line_offsets = [sorted(set(marks[1::2])) if marks else [] for marks in self._marks]
        return self._line_offsets
