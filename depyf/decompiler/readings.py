"""Which code objects to read in another way, where a text cannot be made or is not proven.

What recognises statements may be wrong about a shape that nobody foresaw; the proof says in which code object. That one is
read again: a function plainly (nothing is concluded from lines, and all that crosses blocks has a name: longer, but with less to
be wrong about), then, as modules and classes are, whose names could be seen, in each of the other ways that its graph can be read.
"""

from __future__ import annotations

from types import CodeType
from typing import Dict, Iterator, List, Optional, Tuple

from depyf.bytecode.codes import is_function
from depyf.utils import collect_all_code_objects

from .pipeline import PLAIN, ways_to_read

Readings = Dict[int, int]  # number of the reading by identity of the code: constants of generated code may have no hash
_ATTEMPTS = 40  # at one text; each takes as long as the first


def all_plain(code: CodeType) -> Readings:
    """Every function in `code` plainly, itself among them."""
    return {id(one): PLAIN for one in collect_all_code_objects(code) if is_function(one)}


class Search:
    """Goes on from reading to reading of what is not proven of `code`, until there are no more."""

    def __init__(self, code: CodeType) -> None:
        self.readings: Readings = {}
        self._code = code
        self._wrong: List[CodeType] = collect_all_code_objects(code)  # what to read in another way, as far as is known
        self._left: Dict[int, List[int]] = {}  # the readings of a code object that are still to be tried
        self._attempts = 0

    def go_on(self, compiled: Optional[CodeType]) -> bool:
        """Whether there is another reading: `compiled` is what the last text gave, None if it did not compile."""
        if compiled is not None:
            self._wrong = unproven(self._code, compiled)
        self._attempts += 1
        if self._attempts > _ATTEMPTS:
            return False
        advanced = [self._advance(code) for code in self._wrong]  # each of them, not only up to the first
        return any(advanced)

    def _advance(self, code: CodeType) -> bool:
        left = self._left.get(id(code))
        if left is None:
            left = self._left[id(code)] = list(ways_to_read(code))
        if not left:
            return False
        self.readings[id(code)] = left.pop(0)
        return True


def unproven(code: CodeType, compiled: CodeType) -> List[CodeType]:
    """The innermost code objects of `code` that are not proven equal to their partners in `compiled`."""
    from depyf.proof import verify

    found: List[CodeType] = []
    work = [(code, compiled)]
    while work:
        one, other = work.pop()
        if verify(one, other):
            continue
        inside = [pair for pair in _pairs(one, other) if not verify(*pair)]
        work += inside
        if not inside:
            found.append(one)
    return found


def _children(code: CodeType) -> List[CodeType]:
    return [constant for constant in code.co_consts if isinstance(constant, CodeType)]


def _pairs(code: CodeType, compiled: CodeType) -> Iterator[Tuple[CodeType, CodeType]]:
    """Nested code objects of both, by name and in order among those of one name."""
    partners: Dict[str, List[CodeType]] = {}
    for child in reversed(_children(compiled)):
        partners.setdefault(child.co_name, []).append(child)
    for child in _children(code):
        if partners.get(child.co_name):
            yield child, partners[child.co_name].pop()
