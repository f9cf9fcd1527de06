"""Long string literals in several pieces, one a line: Python joins neighbouring literals back into one constant."""

from __future__ import annotations

import re
from typing import List

LONG_LITERAL = 40  # the shortest that is worth cutting
ESCAPE_OR_CHARACTER = re.compile(r"\\(?:x..|u.{4}|U.{8}|.)|.", re.DOTALL)


def is_cuttable(literal: str) -> bool:
    """Whether a fragment is a plain string or bytes literal that may be cut: neither raw, triple nor formatted."""
    start = 1 if literal[:1] == "b" else 0
    quote = literal[start : start + 1]
    if quote not in ('"', "'") or not quote or len(literal) < LONG_LITERAL:
        return False
    return literal[start + 1 : start + 3] != quote * 2


def cut(literal: str, first: int, width: int) -> List[str]:
    """The literal in pieces: after the ends of its lines, and between words where a piece gets too long.

    `first` is the room for the first piece, `width` for each of the others.
    """
    start = 2 if literal[0] == "b" else 1
    opening, quote = literal[:start], literal[-1]
    pieces: List[str] = []
    piece: List[str] = []
    size, last_space = len(opening) + 1, 0
    room = first
    tokens = ESCAPE_OR_CHARACTER.findall(literal, start, len(literal) - 1)
    for index, token in enumerate(tokens):
        if size + len(token) > room and piece:
            at = last_space or len(piece)
            pieces.append("".join(piece[:at]))
            piece, last_space, room = piece[at:], 0, width
            size = len(opening) + 1 + sum(map(len, piece))
        piece.append(token)
        size += len(token)
        if token == " ":
            last_space = len(piece)
        elif token == "\\n" and index + 1 < len(tokens) and tokens[index + 1] != "\\n":
            pieces.append("".join(piece))
            piece, last_space, size, room = [], 0, len(opening) + 1, width
    pieces.append("".join(piece))
    return [opening + piece + quote for piece in pieces]
