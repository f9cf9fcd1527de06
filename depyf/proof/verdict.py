"""What a proof ends with: EQUAL, DIFFERENT with the place and the path to it, or UNKNOWN with the reason.

A verdict is plain data; `str(verdict)` is written for a person. Only EQUAL is true.
"""

from __future__ import annotations

from typing import Optional, Tuple

EQUAL = "EQUAL"
DIFFERENT = "DIFFERENT"
UNKNOWN = "UNKNOWN"

_SHOWN = 12  # events of a path that are printed, counted from its end


class Verdict:
    """The outcome of `verify`.

    `status` is EQUAL, DIFFERENT or UNKNOWN; `reason` says in words what differs or what is not known; `offsets` are
    the bytecode offsets in the first and in the second code object; `path` lists the events that lead there;
    `where` names the code object, from the outermost to the one that the offsets belong to.
    """

    __slots__ = ("status", "reason", "offsets", "path", "where")

    def __init__(
        self,
        status: str,
        reason: str = "",
        offsets: Optional[Tuple[Optional[int], Optional[int]]] = None,
        path: Tuple[str, ...] = (),
        where: Tuple[str, ...] = (),
    ) -> None:
        self.status = status
        self.reason = reason
        self.offsets = offsets
        self.path = path
        self.where = where

    def __bool__(self) -> bool:
        return self.status == EQUAL

    def __repr__(self) -> str:
        return f"Verdict({self.status}{', ' + repr(self.reason) if self.reason else ''})"

    def __str__(self) -> str:
        if self.status == EQUAL:
            return EQUAL
        lines = [f"{self.status}: {self.reason}"]
        if self.where:
            lines.append("  in " + " > ".join(self.where))
        if self.offsets is not None:
            first, second = ("the end" if offset is None else f"offset {offset}" for offset in self.offsets)
            lines.append(f"  at {first} of the first and {second} of the second")
        if self.path:
            lines.append("  after these events:")
            if len(self.path) > _SHOWN:
                lines.append(f"    ... {len(self.path) - _SHOWN} before")
            lines.extend("    " + event for event in self.path[-_SHOWN:])
        return "\n".join(lines)


class Failure(Exception):
    """Inside the proof: the walk cannot go on. Becomes a verdict; never leaves the package."""

    def __init__(self, status: str, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


def unknown(reason: str) -> Failure:
    return Failure(UNKNOWN, reason)


def different(reason: str) -> Failure:
    return Failure(DIFFERENT, reason)
