"""Lifting with a temporary for all that crosses blocks, but for expressions of which a part cannot have one.

A slice that is read from and stored to, the function of a comprehension, a display that goes on behind what it chooses: kept under a
name, none of them could go on to what it is a part of. While one waits on the stack, the rest of its expression is lifted as always.
"""

from __future__ import annotations

from typing import FrozenSet, List

from ..tree import Dict_, Expr, List_, Set_, Slice, Starred, Tuple_
from .fresh import Container
from .lift import UNSEEN_IF_SAFE, Lifter
from .temporaries import has_slice
from .values import Copied, Fresh, Function, Held, Iterator, Joined, Saved, is_comprehension, resolve

# what may be, or hold, a part that cannot have a name
_MAY_BE_PART: FrozenSet[type] = frozenset((Tuple_, List_, Set_, Dict_, Slice, Function, Copied, Fresh, Held, Joined, Container, Iterator))


class KeepingLifter(Lifter):
    """Is `safe` where nothing waits that cannot be kept."""

    unseen = UNSEEN_IF_SAFE

    @property
    def safe(self) -> bool:  # type: ignore[override]  # a plain attribute where it never changes: it is asked for at every turn
        return self.is_safe(self.stack)

    def is_safe(self, stack: List[Expr]) -> bool:
        if _MAY_BE_PART.isdisjoint(map(type, stack)):
            return True
        return not any(self._is_only_a_part(value) for value in stack) and not _in_comprehension(stack)

    def _is_only_a_part(self, value: Expr) -> bool:
        made = resolve(value)
        if isinstance(made, Tuple_) and any(isinstance(item, Starred) for item in made.items):
            return not self.is_whole(made)  # the arguments of a call, which 3.8 makes in another way than a tuple
        goes_on = isinstance(made, (List_, Set_, Dict_)) and not isinstance(value, Copied)
        return goes_on or is_comprehension(made) or has_slice(made)


def _in_comprehension(stack: List[Expr]) -> bool:
    """Whether a loop runs here that adds to what lies below its iterator."""
    inside = zip(stack, stack[1:])
    return any(isinstance(one, (Fresh, Saved)) and isinstance(above, Iterator) for one, above in inside)
