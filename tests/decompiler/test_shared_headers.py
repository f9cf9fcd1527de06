"""Loops that share a beginning: an endless loop that stands first in another one, whose test the compiler repeats."""

from __future__ import annotations

from typing import Any

import depyf


def read(self: Any, size: int) -> int:
    while size > 0:
        while True:
            start, stop = self.map[self.index]
            if start <= self.position < stop:
                break
            else:
                self.index += 1
                if self.index == len(self.map):
                    self.index = 0
        size -= stop - start
    return size


def test_the_inner_loop_goes_on_without_the_test_of_the_outer() -> None:
    source = depyf.decompile(read, verify=True)
    assert source.verdict, source.verdict
