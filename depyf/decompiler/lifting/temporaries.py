"""Names for values and flags that the source did not name."""

from __future__ import annotations

from typing import Set


class Temporaries:
    """Unique names in one code object. `seen` when a store to a name is seen by others: in a module or class body."""

    def __init__(self, prefix: str, taken: Set[str], seen: bool = False) -> None:
        self.prefix = prefix
        self.taken = taken
        self.seen = seen
        self.count = 0

    def new(self) -> str:
        while True:
            self.count += 1
            name = f"{self.prefix}{self.count}"
            if name not in self.taken:
                self.taken.add(name)
                return name

    __call__ = new
