"""Patterns: what stands behind `case`."""

from __future__ import annotations

from typing import List, Optional, Tuple

from .nodes import Expr, Node


class Pattern(Node):
    __slots__ = ()


class MatchValue(Pattern):
    """A literal or a dotted name, compared by ==; None, True and False by `is`."""

    __slots__ = ("value",)

    def __init__(self, value: Expr, offset: int = -1) -> None:
        self.value = value
        self.offset = offset


class MatchSequence(Pattern):
    __slots__ = ("patterns",)

    def __init__(self, patterns: List[Pattern], offset: int = -1) -> None:
        self.patterns = patterns
        self.offset = offset


class MatchStar(Pattern):
    __slots__ = ("name",)

    def __init__(self, name: Optional[str], offset: int = -1) -> None:
        self.name = name
        self.offset = offset


class MatchMapping(Pattern):
    __slots__ = ("keys", "patterns", "rest")

    def __init__(
        self, keys: List[Expr], patterns: List[Pattern], rest: Optional[str], offset: int = -1
    ) -> None:
        self.keys = keys
        self.patterns = patterns
        self.rest = rest
        self.offset = offset


class MatchClass(Pattern):
    __slots__ = ("cls", "patterns", "keywords")

    def __init__(
        self, cls: Expr, patterns: List[Pattern], keywords: List[Tuple[str, Pattern]], offset: int = -1
    ) -> None:
        self.cls = cls
        self.patterns = patterns
        self.keywords = keywords
        self.offset = offset


class MatchAs(Pattern):
    """pattern as name; a bare capture has no pattern, the wildcard `_` has neither."""

    __slots__ = ("pattern", "name")

    def __init__(self, pattern: Optional[Pattern], name: Optional[str], offset: int = -1) -> None:
        self.pattern = pattern
        self.name = name
        self.offset = offset


class MatchOr(Pattern):
    __slots__ = ("patterns",)

    def __init__(self, patterns: List[Pattern], offset: int = -1) -> None:
        self.patterns = patterns
        self.offset = offset
