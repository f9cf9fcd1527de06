"""Names for values and flags that the source did not name."""

from __future__ import annotations

from typing import Any, List, Optional, Set

from ..tree import Assign, Const, Expr, Name, Slice, Stmt, Tuple_


class Temporaries:
    """Unique names in one code object. `seen` when a store to a name is seen by others: in a module or class body. The `suffix`
    keeps names from being private."""

    def __init__(self, prefix: str, taken: Set[str], seen: bool = False, suffix: str = "") -> None:
        self.prefix = prefix
        self.suffix = suffix
        self.taken = taken
        self.seen = seen
        self.count = 0
        self.made: Set[str] = set()

    def new(self) -> str:
        while True:
            self.count += 1
            name = f"{self.prefix}{self.count}{self.suffix}"
            if name not in self.taken:
                self.taken.add(name)
                self.made.add(name)
                return name

    __call__ = new


def has_slice(key: Expr) -> bool:
    """Whether a subscript's key has syntax that only a subscript has: kept by itself it would be a call of `slice`."""
    return isinstance(key, Slice) or isinstance(key, Tuple_) and any(has_slice(item) for item in key.items)


def name_parts(key: Any, temporaries: Temporaries) -> List[Stmt]:
    """Temporaries for what such a key was made of, in the order of evaluation, and none for the key."""
    made: List[Stmt] = []
    if isinstance(key, Slice):
        for name in ("start", "stop", "step"):
            setattr(key, name, _named(getattr(key, name), temporaries, made))
    else:
        key.items = [_named(item, temporaries, made) for item in key.items]
    return made


def _named(part: Optional[Expr], temporaries: Temporaries, made: List[Stmt]) -> Optional[Expr]:
    if part is None or isinstance(part, Const):
        return part
    if has_slice(part):
        made += name_parts(part, temporaries)
        return part
    name = temporaries.new()
    made.append(Assign([Name(name)], part, part.offset))
    return Name(name, part.offset)
