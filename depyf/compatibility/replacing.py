"""Replacing things of PyTorch for a while: an attribute, an item of a namespace, a function's code.

Several stays may replace the same thing and end in any order: each takes out its own value, the newest of those that are
left counts, and with the last one the thing is again what it was. What somebody else put there in between stays.
"""

from __future__ import annotations

import threading
from typing import Any, Dict, List, Tuple


class _Place:
    """One thing that is replaced, what it was, and what was put there by whom, the newest last."""

    def __init__(self, owner: Any, name: str) -> None:
        self.owner = owner
        self.name = name
        self.original = self.get()
        self.layers: List[Tuple[object, Any]] = []

    def get(self) -> Any:
        return self.owner.get(self.name) if isinstance(self.owner, dict) else getattr(self.owner, self.name)

    def set(self, value: Any) -> None:
        if isinstance(self.owner, dict):
            self.owner[self.name] = value
        else:
            setattr(self.owner, self.name, value)


class _Places:
    """All places of the process where something is replaced now; empty when nobody debugs."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._places: Dict[Tuple[int, str], _Place] = {}

    def put(self, by: object, owner: Any, name: str, value: Any) -> None:
        with self._lock:
            key = (id(owner), name)
            place = self._places.get(key)
            if place is None or place.get() is not place.layers[-1][1]:  # somebody else came in between: begin with theirs
                place = self._places[key] = _Place(owner, name)  # holds its owner, so that the id stays its own
            place.layers.append((by, value))
            place.set(value)

    def take_out(self, by: object) -> None:
        with self._lock:
            for key, place in list(self._places.items()):
                newest = place.layers[-1][1]
                left = [layer for layer in place.layers if layer[0] is not by]
                if len(left) < len(place.layers):
                    if place.get() is newest:
                        place.set(left[-1][1] if left else place.original)
                    place.layers = left
                    if not left:
                        del self._places[key]


_places = _Places()


def replace_for(by: object, owner: Any, name: str, value: Any) -> None:
    """Put a value in the place of an attribute, or of a dict's item, until `put_back(by)`."""
    _places.put(by, owner, name, value)


def put_back(by: object) -> None:
    """Take out everything that was put somewhere for `by`; a second call finds nothing."""
    _places.take_out(by)
