"""What a pattern's code works on while `matching` follows it: parts of the subject, each a hole for a pattern.

A hole learns what it must be from the tests that are made on it, and what it is called from the stores at the end.
"""

from __future__ import annotations

import math
from typing import Any, Dict, List, Optional, Tuple

from ..tree import (
    Attr,
    Binary,
    Const,
    Expr,
    MatchAs,
    MatchClass,
    MatchMapping,
    MatchOr,
    MatchSequence,
    MatchStar,
    MatchValue,
    Name,
    Pattern,
    Tuple_,
    Unary,
)


class NoPattern(Exception):
    """The code that is followed does what no pattern does."""


class Hole:
    """A part of the subject. `kind` is what it was tested for: 'value', 'sequence', 'mapping', 'class', 'or'."""

    __slots__ = ("kind", "detail", "items", "star", "length", "by_index", "names", "rest", "is_star")

    def __init__(self) -> None:
        self.kind: Optional[str] = None
        self.detail: Any = None
        self.items: Optional[List[Hole]] = None
        self.star = -1
        self.length: Optional[Tuple[str, int]] = None
        self.by_index: Dict[int, Hole] = {}
        self.names: List[str] = []
        self.rest: Optional[str] = None
        self.is_star = False

    def become(self, kind: str, detail: Any = None) -> None:
        if self.kind is not None:
            raise NoPattern()
        self.kind = kind
        self.detail = detail

    def name(self, name: str) -> None:
        self.names.append(name)

    def name_rest(self, name: str) -> None:
        if self.rest is not None:
            raise NoPattern()
        self.rest = name

    def split(self, count: int, star: int = -1) -> List[Hole]:
        """The holes of the items; asked for again, the same ones."""
        if self.items is None:
            self.items = [Hole() for _ in range(count)]
            self.star = star
            if star >= 0:
                self.items[star].is_star = True
        if len(self.items) != count or self.star != star:
            raise NoPattern()
        return self.items

    def item(self, index: int) -> Hole:
        """The item at an index from the front, or, if negative, from the end."""
        if self.kind in ("mapping", "class"):
            if self.items is None or not 0 <= index < len(self.items):
                raise NoPattern()
            return self.items[index]
        return self.by_index.setdefault(index, Hole())

    # ------------------------------------------------------------ the finished pattern

    def pattern(self) -> Pattern:
        if self.is_star:
            return MatchStar(self.names[0] if self.names else None)
        made = self._base()
        names = list(self.names)
        if made is None:
            made = MatchAs(None, names.pop(0) if names else None)
        for name in names:
            made = MatchAs(made, name)
        return made

    def _base(self) -> Optional[Pattern]:
        if self.kind == "value":
            return MatchValue(literal(self.detail))
        if self.kind == "or":
            return MatchOr([one.pattern() for one in self.detail])
        if self.kind == "sequence":
            return MatchSequence(self._sequence())
        if self.kind == "mapping":
            keys = [literal(key) for key in self.detail or []]
            return MatchMapping(keys, [one.pattern() for one in self.items or []], self.rest)
        if self.kind == "class":
            cls, count, names = self.detail
            inner = [one.pattern() for one in self.items or []]
            return MatchClass(cls, inner[:count], list(zip(names, inner[count:])))
        return None

    def _sequence(self) -> List[Pattern]:
        if self.items is not None:
            return [one.pattern() for one in self.items]
        wildcard = MatchAs(None, None)
        if self.length is None:
            return [MatchStar(None)]
        op, count = self.length
        if op == "==":
            return [wildcard] * count
        after = max([0, *(-index for index in self.by_index if index < 0)])
        before = count - after
        if before < 0 or any(index >= before for index in self.by_index):
            raise NoPattern()
        made: List[Pattern] = [self._indexed(index) for index in range(before)]
        made.append(MatchStar(None))
        made.extend(self._indexed(index - after) for index in range(after))
        return made

    def _indexed(self, index: int) -> Pattern:
        found = self.by_index.get(index)
        return found.pattern() if found is not None else MatchAs(None, None)


class JoinedHole(Hole):
    """What the alternatives of an or-pattern leave in one slot: gets its name in each of them."""

    __slots__ = ("alternatives",)

    def __init__(self, alternatives: List[Any]) -> None:
        Hole.__init__(self)
        self.alternatives = alternatives

    def name(self, name: str) -> None:
        for one in self.alternatives:
            one.name(name)

    def become(self, kind: str, detail: Any = None) -> None:
        raise NoPattern()


class Rest:
    """The mapping that `**rest` gets."""

    __slots__ = ("hole",)

    def __init__(self, hole: Optional[Hole] = None) -> None:
        self.hole = hole

    def name(self, name: str) -> None:
        if self.hole is None:
            raise NoPattern()
        self.hole.name_rest(name)


class Parts:
    """What MATCH_KEYS or MATCH_CLASS found of a hole; not None."""

    __slots__ = ("hole", "count")

    def __init__(self, hole: Hole, count: int) -> None:
        self.hole = hole
        self.count = count


class Length:
    """The length of a hole, less `less`."""

    __slots__ = ("hole", "less")

    def __init__(self, hole: Hole, less: int = 0) -> None:
        self.hole = hole
        self.less = less


class Condition:
    """A test's result: `kind` and `detail` are what the hole is when the test is `holds`."""

    __slots__ = ("hole", "kind", "detail", "holds")

    def __init__(self, hole: Hole, kind: str, detail: Any, holds: bool) -> None:
        self.hole = hole
        self.kind = kind
        self.detail = detail
        self.holds = holds

    def apply(self) -> None:
        if self.kind == "length":
            if self.hole.kind == "sequence":
                self.hole.length = self.detail
        elif self.kind != "found":
            self.hole.become(self.kind, self.detail)


def is_literal(value: Expr) -> bool:
    """Whether a value can be written as a pattern: a name needs a dot, and of constants there are few kinds."""
    if isinstance(value, Const):
        return type(value.value) in (int, float, complex, str, bytes)
    if isinstance(value, Attr):
        inner: Expr = value
        while isinstance(inner, Attr):
            inner = inner.value
        return isinstance(inner, Name)
    return isinstance(value, (Unary, Binary))


def literal(value: Expr) -> Expr:
    """A complex number of a pattern is written as a sum, without parentheses."""
    if not isinstance(value, Const) or type(value.value) is not complex:
        return value
    real, imaginary = value.value.real, value.value.imag
    negative = math.copysign(1.0, imaginary) < 0
    if real == 0 and (math.copysign(1.0, real) < 0) == negative:
        return Unary("-", Const(-value.value), value.offset) if negative else value
    whole: Any = int(real) if real and real.is_integer() else real
    return Binary(Const(whole), "-" if negative else "+", Const(complex(0.0, abs(imaginary))), value.offset)


def constants(value: Any) -> List[Expr]:
    """The items of a tuple of plain expressions, folded to a constant or not."""
    if isinstance(value, Tuple_):
        return value.items
    if isinstance(value, Const) and isinstance(value.value, tuple):
        return [Const(one) for one in value.value]
    raise NoPattern()
