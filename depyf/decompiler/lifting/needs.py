"""Why a code object has to be lifted again: raised where a stage finds out, caught by the pipeline, which chooses the mode."""

from __future__ import annotations

from typing import FrozenSet

from .values import UnpackedItem


class NeedsContainers(Exception):
    """Lists are taken apart that were only just built: lift again and evaluate them (see `fresh`)."""


class NeedsCleanups(Exception):
    """A copy of a `finally` body was not recognised in the tree: look for the copies in the graph (see `finallies`)."""


class NeedsTemporaries(Exception):
    """Values are used where no temporary can be placed any more: lift again, with temporaries for the copies that are
    made at these `offsets`, or, if it is not known where, everywhere."""

    def __init__(self, offsets: FrozenSet[int] = frozenset()) -> None:
        Exception.__init__(self)
        self.offsets = offsets


def needs_names(item: UnpackedItem) -> NeedsTemporaries:
    """For an unpacking that waited for a choice in one of its targets, where there is no such choice: see `unpacking`."""
    return NeedsTemporaries(frozenset({item.unpacking.offset}))
