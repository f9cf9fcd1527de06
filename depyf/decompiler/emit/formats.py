"""What an f-string of the tree is printed as: since 3.11 the compiler makes f-strings of % formats.

`"%s of %r" % (a, b)` and `f"{a!s} of {b!r}"` are the same bytecode then. Hardly anybody writes `!s`, so a string of
fields that all have a conversion, and one of them `!s`, was a % format.
"""

from __future__ import annotations

import re
from typing import List, Optional, Tuple, Union

from .. import tree
from ..lifting.values import resolve

SPEC = re.compile(r"(>)?([1-9][0-9]*)?(\.[0-9]+)?")


class PercentFormat(tree.Expr):
    """text % (values): `fields` are the f-string's, whose values are written."""

    __slots__ = ("text", "fields")

    def __init__(self, text: str, fields: List[tree.FormattedValue], offset: int) -> None:
        self.text = text
        self.fields = fields
        self.offset = offset


def splice(node: tree.JoinedStr) -> None:
    """Parts that another block made are parts of this string, unless they were given a name."""
    if not any(isinstance(p, tree.FormattedValue) and p.conversion == tree.SPLICE for p in node.parts):
        return
    parts: List[Union[str, tree.FormattedValue]] = []
    for part in node.parts:
        if isinstance(part, tree.FormattedValue) and part.conversion == tree.SPLICE:
            value = resolve(part.value)
            if isinstance(value, tree.JoinedStr):
                splice(value)
                parts.extend(value.parts)
            elif isinstance(value, tree.Const):
                parts.append(value.value)
            else:
                parts.append(tree.FormattedValue(part.value, None, None, part.offset))
        else:
            parts.append(part)
    node.parts = parts


def printed(node: Union[tree.JoinedStr, tree.FormattedValue], version: Tuple[int, int]) -> tree.Expr:
    """The f-string itself, or the % format that it was. A field by itself is an f-string of one field."""
    if isinstance(node, tree.FormattedValue):
        node = tree.JoinedStr([node])
    splice(node)
    if version < (3, 11) or node.prefix != "f":
        return node
    fields = [part for part in node.parts if isinstance(part, tree.FormattedValue)]
    if not any(field.conversion == "s" for field in fields):
        return node
    if version < (3, 14) and all(isinstance(resolve(field.value), tree.Const) for field in fields):
        return node  # of a % format, the compiler would have folded the values to one constant tuple, and left it at that
    return as_percent(node) or node


def as_percent(node: tree.JoinedStr) -> Optional[PercentFormat]:
    """The % format that compiles to the same as an f-string, if there is one."""
    text: List[str] = []
    fields: List[tree.FormattedValue] = []
    for part in node.parts:
        if isinstance(part, str):
            text.append(part.replace("%", "%%"))
            continue
        directive = percent_directive(part)
        if directive is None:
            return None
        text.append(directive)
        fields.append(part)
    return PercentFormat("".join(text), fields, node.offset)


def percent_directive(part: tree.FormattedValue) -> Optional[str]:
    """%s, %-5r and the like: the compiler turns a width into a spec that pads on the left."""
    if part.conversion not in ("s", "r", "a"):
        return None
    if part.spec is None:
        return "%" + part.conversion
    spec = resolve(part.spec)
    if not isinstance(spec, tree.Const) or not isinstance(spec.value, str):
        return None
    match = SPEC.fullmatch(spec.value)
    if match is None or not spec.value:  # an empty spec is a spec
        return None
    right, width, precision = match.groups()
    if bool(right) and not width:
        return None
    flag = "-" if width and not right else ""
    return f"%{flag}{width or ''}{precision or ''}{part.conversion}"


def would_become_fields(node: tree.Binary, version: Tuple[int, int]) -> bool:
    """Whether the compiler would make an f-string of this % format over constants, which it did not."""
    left, right = resolve(node.left), resolve(node.right)
    if node.op != "%" or version < (3, 14) or not isinstance(left, tree.Const) or not isinstance(right, tree.Const):
        return False
    if not isinstance(left.value, str) or not isinstance(right.value, tuple):
        return False
    return _PLAIN_FORMAT.fullmatch(left.value) is not None


_PLAIN_FORMAT = re.compile(r"(?:[^%]|%%|%-?[0-9]*(?:\.[0-9]+)?[sra])*")
