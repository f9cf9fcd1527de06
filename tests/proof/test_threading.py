"""Where code stands decides, up to CPython 3.9, which jumps lead past tests that would be made again; it must not matter."""

from __future__ import annotations

from types import CodeType

import pytest

from depyf.proof import verify

TEXT = "    v = (x or (a := d) or E) and ((a or y) and not a and not b) and w\n    return v\n"


def behind(count: int, text: str = TEXT) -> CodeType:
    """The same code behind so many statements that nobody sees."""
    return compile("def f(a, x):\n" + "    t = 1\n" * count + text, "<text>", "exec")


@pytest.mark.parametrize("count", range(40, 66))
def test_where_code_stands_does_not_matter(count: int) -> None:
    verdict = verify(behind(count), behind(0))
    assert verdict, verdict


@pytest.mark.parametrize("other", ["not a and b", "a and not b", "not a or not b"])
def test_other_tests_are_told_apart_all_the_same(other: str) -> None:
    for count in range(40, 66, 5):
        assert not verify(behind(count), behind(0, TEXT.replace("not a and not b", other)))
