"""One handler for each pattern of `match`, on the same stack as expressions."""

from __future__ import annotations

from typing import Dict, Optional, Sequence

from .. import tree
from .precedence import ATOM, TEST
from .writer import COMMA, Handler, Writer


def push_pattern(w: Writer, node: tree.Pattern, closed: bool = False) -> None:
    """`closed`: where `as` and `|` would need parentheses."""
    if closed and (isinstance(node, tree.MatchOr) or (isinstance(node, tree.MatchAs) and node.pattern is not None)):
        w.stack += (")", node, "(")
    else:
        w.stack.append(node)


def push_patterns(w: Writer, patterns: Sequence[tree.Pattern]) -> None:
    separate = False
    for pattern in reversed(patterns):
        if separate:
            w.stack.append(COMMA)
        separate = True
        push_pattern(w, pattern)


def match_value(w: Writer, node: tree.MatchValue) -> None:
    w.push(node.value, TEST)


def match_sequence(w: Writer, node: tree.MatchSequence) -> None:
    w.stack.append("]")
    push_patterns(w, node.patterns)
    w.out.append("[")


def match_star(w: Writer, node: tree.MatchStar) -> None:
    w.out.append("*" + written(w, node.name))


def match_mapping(w: Writer, node: tree.MatchMapping) -> None:
    w.stack.append("}")
    separate = False
    if node.rest is not None:
        w.stack.append("**" + w.names[node.rest])
        separate = True
    for key, pattern in reversed(list(zip(node.keys, node.patterns))):
        if separate:
            w.stack.append(COMMA)
        separate = True
        push_pattern(w, pattern)
        w.stack.append(": ")
        w.push(key, TEST)
    w.out.append("{")


def match_class(w: Writer, node: tree.MatchClass) -> None:
    w.stack.append(")")
    separate = False
    for keyword, pattern in reversed(node.keywords):
        if separate:
            w.stack.append(COMMA)
        separate = True
        push_pattern(w, pattern)
        w.stack.append(w.names[keyword] + "=")
    if separate and node.patterns:
        w.stack.append(COMMA)
    push_patterns(w, node.patterns)
    w.stack.append("(")
    w.push(node.cls, ATOM)


def match_as(w: Writer, node: tree.MatchAs) -> None:
    if node.pattern is None:
        w.out.append(written(w, node.name))
        return
    w.stack += (written(w, node.name), " as ")
    if isinstance(node.pattern, tree.MatchAs):
        push_pattern(w, node.pattern, closed=True)
    else:
        w.stack.append(node.pattern)


def match_or(w: Writer, node: tree.MatchOr) -> None:
    separate = False
    for pattern in reversed(node.patterns):
        if separate:
            w.stack.append(" | ")
        separate = True
        push_pattern(w, pattern, closed=True)


def written(w: Writer, name: Optional[str]) -> str:
    return "_" if name is None else w.names[name]


HANDLERS: Dict[type, Handler] = {
    tree.MatchValue: match_value,
    tree.MatchSequence: match_sequence,
    tree.MatchStar: match_star,
    tree.MatchMapping: match_mapping,
    tree.MatchClass: match_class,
    tree.MatchAs: match_as,
    tree.MatchOr: match_or,
}
