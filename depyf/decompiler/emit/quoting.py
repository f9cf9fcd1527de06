"""The inside of string literals: escapes, quotes, docstrings, and texts of several lines."""

from __future__ import annotations

from typing import List, Tuple

QUOTES = ('"', "'", '"""', "'''")
LONG_TEXT = 72  # a shorter text stays on one line, with \n in it


def escape(text: str, quote: str, newline: str = "\\n") -> str:
    """`text` as the inside of a literal between two `quote`s."""
    if newline == "\\n":
        inner = "'".join([repr(part)[1:-1] for part in text.split("'")])  # without a ', repr escapes no quotes
    else:
        inner = newline.join([unescaped_line(line) for line in text.split("\n")])
    if len(quote) == 1:
        return inner.replace(quote, "\\" + quote)
    mark = quote[0]
    trailing = len(text) - len(text.rstrip(mark))
    body = inner[: len(inner) - trailing] if trailing else inner
    return body.replace(quote, mark + mark + "\\" + mark) + ("\\" + mark) * trailing


def unescaped_line(line: str) -> str:
    """A line of a text that is shown as it is: only what could not be seen is escaped, tabs stay."""
    return "'".join(["\t".join([repr(part)[1:-1] for part in piece.split("\t")]) for piece in line.split("'")])


def is_text(value: str) -> bool:
    """Whether a string reads better on lines of its own, between triple quotes."""
    if len(value) <= LONG_TEXT or value.count("\n") < 2:
        return False
    return value.replace("\n", "").isprintable() and " \n" not in value


def text_literal(value: str) -> str:
    quote = "'''" if '"""' in value and "'''" not in value else '"""'
    if "\\" in value and is_raw(value, quote):
        return "r" + quote + value + quote
    return quote + escape(value, quote, "\n") + quote


def docstring(text: str, indent: str, version: Tuple[int, int]) -> str:
    """A docstring as whole lines, the first of them indented."""
    if version >= (3, 13) and indent:
        text = indented(text, indent)
    quote = "'''" if '"""' in text and "'''" not in text else '"""'
    if "\\" in text and is_raw(text, quote):
        return f"{indent}r{quote}{text}{quote}"
    return f"{indent}{quote}{escape(text, quote, chr(10))}{quote}"


def is_raw(text: str, quote: str) -> bool:
    """Whether a raw literal can hold `text`."""
    plain = text.replace("\n", "").replace("\t", "")
    return plain.isprintable() and quote not in text and not text.endswith(("\\", quote[0]))


def indented(text: str, indent: str) -> str:
    """Since 3.13 the compiler takes the common indentation out of docstrings: put it back, if it will go again."""
    first, *rest = text.split("\n")
    filled = [line for line in rest if line.strip(" ")]
    if not filled or first.startswith(" ") or "\t" in text or all(line.startswith(" ") for line in filled):
        return text
    lines: List[str] = [first]
    lines += [indent + line if line else line for line in rest[:-1]]
    lines.append(indent + rest[-1])
    return "\n".join(lines)
