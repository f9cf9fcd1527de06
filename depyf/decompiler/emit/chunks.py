"""Long string literals in several pieces, one a line: Python joins neighbouring literals back into one constant.

Plain, raw and bytes literals are cut by their text; an f-string only between the tokens that were noted when it was
written, so that no field is ever cut.
"""

from __future__ import annotations

import re
from typing import Dict, List

LONG_LITERAL = 40  # the shortest that is worth cutting
ESCAPE_OR_CHARACTER = re.compile(r"\\(?:x..|u.{4}|U.{8}|.)|.", re.DOTALL)
RAW_CHARACTER = re.compile(r"\\.|.", re.DOTALL)
LITERAL_OF_F_STRING = re.compile(r"\\(?:x..|u.{4}|U.{8}|.)|\{\{|\}\}|.", re.DOTALL)

Formatted = Dict[str, List[str]]  # the tokens between the quotes of each long f-string


def prefix_of(literal: str) -> str:
    """The letters before the quotes."""
    return literal[: min(literal.find(quote) % (len(literal) + 1) for quote in "\"'")]


def is_cuttable(literal: str, formatted: Formatted) -> bool:
    """Whether a fragment is a literal between single quotes that may be cut."""
    if len(literal) < LONG_LITERAL:
        return False
    if literal in formatted:
        return True
    start = 1 if literal[0] in "br" else 0
    quote = literal[start]
    return quote in "\"'" and literal[-1] == quote and literal[start + 1 : start + 3] != quote * 2


def tokens_of(literal: str, prefix: str, formatted: Formatted) -> List[str]:
    """What must stay together, in order."""
    if literal in formatted:
        return formatted[literal]
    pattern = RAW_CHARACTER if prefix == "r" else ESCAPE_OR_CHARACTER
    return pattern.findall(literal, len(prefix) + 1, len(literal) - 1)


def cut(literal: str, first: int, width: int, formatted: Formatted) -> List[str]:
    """The literal in pieces: after the ends of its lines, and between words where a piece gets too long.

    `first` is the room for the first piece, `width` for each of the others.
    """
    prefix, quote = prefix_of(literal), literal[-1]
    tokens = tokens_of(literal, prefix, formatted)
    pieces: List[List[str]] = [[]]
    size, last_space, room = len(prefix) + 2, 0, first
    for index, token in enumerate(tokens):
        piece = pieces[-1]
        if size + len(token) > room and piece:
            at = last_space or len(piece)
            pieces.append(piece[at:])
            del piece[at:]
            piece, last_space, room = pieces[-1], 0, width
            size = len(prefix) + 2 + sum(map(len, piece))
        piece.append(token)
        size += len(token)
        if token == " ":
            last_space = len(piece)
        elif token == "\\n" and prefix != "r" and index + 1 < len(tokens) and tokens[index + 1] != "\\n":
            pieces.append([])
            last_space, size, room = 0, len(prefix) + 2, width
    texts = ["".join(piece) for piece in pieces]
    if prefix != "f" or not any("{" in text for text in texts):
        return [prefix + quote + text + quote for text in texts]
    # a piece of an f-string that has nothing to fill in is a plain string
    return [("f" if "{" in text or "}" in text else "") + quote + text + quote for text in texts]
