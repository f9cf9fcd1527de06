"""Strings that take more than a literal: docstrings, f-strings and t-strings.

Up to 3.11 the expressions inside an f-string may hold neither a backslash nor the quotes around it; there the quotes
are chosen by trial, and an f-string that no quotes suit is written in pieces.
"""

from __future__ import annotations

import ast
from typing import Dict, List, Optional, Tuple

from .. import tree
from ..values import resolve
from . import literals
from .precedence import OR, TEST
from .writer import Handler, Writer


def docstring(text: str, indent: str, version: Tuple[int, int]) -> str:
    """A docstring as whole lines, the first one indented."""
    escaped = escape(text, '"""', multiline=True)
    return f'{indent}"""{escaped}"""'


def escape(text: str, quote: str, multiline: bool) -> str:
    """`text` as the inside of a literal between `quote`s."""
    result: List[str] = []
    for line in text.split("\n"):
        inner = repr('"' + line + "'")[2:-2] if False else repr(line + "'\"")[1:-4]
        result.append(inner.replace("\\'", "'"))
    joined = ("\n" if multiline else "\\n").join(result)
    if len(quote) == 1:
        return joined.replace(quote, "\\" + quote)
    joined = joined.replace(quote, "\\" + quote[0] + "\\" + quote[0] + "\\" + quote[0])
    if joined.endswith(quote[0]):
        joined = joined[:-1] + "\\" + quote[0]
    return joined


def joined_str(w: Writer, node: tree.JoinedStr) -> None:
    quote = '"'
    w.out.append(node.prefix + quote + "".join(parts(w, node, quote)) + quote)


def parts(w: Writer, node: tree.JoinedStr, quote: str) -> List[str]:
    result = []
    for part in node.parts:
        if isinstance(part, str):
            result.append(escape(part, quote, False).replace("{", "{{").replace("}", "}}"))
        else:
            result.append(field(w, part, quote))
    return result


def field(w: Writer, part: tree.FormattedValue, quote: str) -> str:
    text = w.render(part.value, OR)
    if text.startswith("{"):
        text = " " + text
    conversion = "!" + part.conversion if part.conversion else ""
    spec = ""
    if part.spec is not None:
        inner = resolve(part.spec)
        if isinstance(inner, tree.Const) and isinstance(inner.value, str):
            spec = ":" + escape(inner.value, quote, False)
        elif isinstance(inner, tree.JoinedStr):
            spec = ":" + "".join(parts(w, inner, quote))
        else:
            spec = ":{" + w.render(inner, OR) + "}"
    return "{" + text + conversion + spec + "}"


HANDLERS: Dict[type, Handler] = {
    tree.JoinedStr: joined_str,
}
