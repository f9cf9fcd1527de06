"""File names that every file system takes: short, ASCII, and told apart even where case is ignored.

Knows nothing of the disk: a caller says which names are taken.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import Dict, Set

_LONGEST = 100
_UUID = re.compile(r"(__compiled_fn_\d+)_[0-9a-f]{8}(?:_[0-9a-f]{4}){3}_[0-9a-f]{12}")


def safe(name: str) -> str:
    """`name` as a part of a file name. Different names may meet; `Names` numbers them."""
    folded = unicodedata.normalize("NFKD", name)
    out = []
    for character in folded:
        if character.isascii() and (character.isalnum() or character == "_"):
            out.append(character)
        elif unicodedata.combining(character):
            continue
        elif character.isascii():
            out.append("_")
        else:
            out.append(f"u{ord(character):04x}")
    text = "".join(out) or "_"
    if len(text) > _LONGEST:
        digest = hashlib.sha1(name.encode("utf-8", "backslashreplace")).hexdigest()[:8]
        text = f"{text[: _LONGEST - 9]}_{digest}"
    return text


def plain_graph_name(full_name: str) -> str:
    """`__compiled_fn_1` for `__compiled_fn_1_<uuid>`: newer PyTorch makes the name unique, people want it short."""
    return _UUID.sub(r"\1", full_name)


def plain_graph_names(text: str) -> str:
    return _UUID.sub(r"\1", text)


class Names:
    """Hands out names that were not handed out before, counting up in a template with one `{}`."""

    def __init__(self) -> None:
        self._taken: Set[str] = set()
        self._next: Dict[str, int] = {}

    def take(self, name: str) -> None:
        self._taken.add(name.casefold())

    def number(self, template: str) -> int:
        """The first free number for `template`, whose name is taken from now on."""
        key = template.casefold()
        number = self._next.get(key, 0)
        while template.format(number).casefold() in self._taken:
            number += 1
        self._next[key] = number + 1
        self.take(template.format(number))
        return number
