"""f-strings and t-strings, and the strings inside of them.

Up to 3.11 the expressions inside an f-string may hold neither a backslash nor the quotes around it; there the quotes
are chosen by trial, and an f-string that no quotes suit is written in pieces, or as a format that means the same.
"""

from __future__ import annotations

import ast
from typing import Dict, List, Optional, Sequence, Tuple, Union

from .. import tree
from ..lifting.values import resolve
from ..recompiling.quietly import quiet
from . import literals
from .chunks import LITERAL_OF_F_STRING, LONG_LITERAL
from .formats import PercentFormat, as_percent, splice
from .precedence import ATOM, OR, TEST
from .quoting import QUOTES, escape, is_text
from .writer import COMMA, Handler, Mark, Writer

Parts = Sequence[Union[str, tree.FormattedValue]]

# quotes that may stand inside an f-string between the given ones, up to 3.11
INSIDE: Dict[str, Tuple[str, ...]] = {
    '"': ("'", "'''"),
    "'": ('"', '"""'),
    '"""': ("'", '"', "'''"),
    "'''": ('"', "'", '"""'),
}


class Unquotable(Exception):
    """No quotes suit a string where it stands."""


def nested_literal(w: Writer, value: Union[str, bytes]) -> str:
    """A string inside an f-string: up to 3.11 it must do with the quotes that are left, and without a backslash."""
    prefix, text = ("", value) if isinstance(value, str) else ("b", value.decode("latin-1"))
    if "\\" not in text and (not prefix or text.isascii()):
        lines = w.newlines and "\n" in text
        plain = (text.replace("\n", "") if lines else text).isprintable()
        for quote in w.quotes or QUOTES:
            if plain and quote not in text and not text.endswith(quote[0]) and (not lines or len(quote) == 3):
                return prefix + quote + text + quote
    if w.version < (3, 12):
        raise Unquotable
    return literals.string(value) if isinstance(value, str) else literals.bytes_(value)


def joined_str(w: Writer, node: tree.JoinedStr) -> None:
    if w.version >= (3, 12):
        quote = choose(node.parts)
        w.out.append(between(w, node.prefix, node.parts, quote, INSIDE[quote]))
        return
    text = fitting(w, node.prefix, node.parts)
    if text is not None:
        w.out.append(text)
    elif w.quotes is not None:
        raise Unquotable
    else:
        push_otherwise(w, node)


def percent_format(w: Writer, node: PercentFormat) -> None:
    stack = w.stack
    stack.append(")")
    if len(node.fields) == 1:
        stack.append(",")
    for index in range(len(node.fields) - 1, -1, -1):
        if index != len(node.fields) - 1:
            stack.append(COMMA)
        w.push(node.fields[index].value, TEST)
        stack.append(Mark(node.fields[index].offset))
    stack += ("(", " % ", tree.Const(node.text))


def choose(parts: Parts) -> str:
    """Quotes that need no escapes in the literal parts, if there are any."""
    text = "".join([part for part in parts if isinstance(part, str)])
    if is_text(text):
        return '"""'
    return "'" if '"' in text and "'" not in text else '"'


def fitting(w: Writer, prefix: str, parts: Parts) -> Optional[str]:
    """Up to 3.11: the f-string between the first quotes that suit all that is inside."""
    first = choose(parts)
    around = w.quotes
    for quote in (first, *(quote for quote in QUOTES if quote != first)):
        if around is not None and quote not in around:
            continue
        inside = tuple(q for q in INSIDE[quote] if around is None or q in around)
        mark = len(w.marks)
        try:
            text = between(w, prefix, parts, quote, inside)
        except Unquotable:
            del w.marks[mark:]
            continue
        if len(quote) == 1 and "\n" in text:
            continue
        if around is None or ("\\" not in text and (w.newlines or "\n" not in text)):
            return text
    return None


def between(w: Writer, prefix: str, parts: Parts, quote: str, inside: Tuple[str, ...]) -> str:
    around = w.quotes
    w.quotes = inside
    try:
        written = fields(w, parts, quote, False)
    finally:
        w.quotes = around
    text = prefix + quote + "".join(written) + quote
    if around is None and len(quote) == 1 and len(text) >= LONG_LITERAL:
        w.formatted[text] = tokens(parts, written)
    return text


def tokens(parts: Parts, written: List[str]) -> List[str]:
    """Where a long f-string may be cut: between the characters of its literal parts, and around its fields."""
    result: List[str] = []
    for part, text in zip(parts, written):
        if isinstance(part, str):
            result += LITERAL_OF_F_STRING.findall(text)
        else:
            result.append(text)
    return result


def fields(w: Writer, parts: Parts, quote: str, in_spec: bool) -> List[str]:
    written: List[str] = []
    for number, part in enumerate(parts):
        text = literal_part(part, quote, in_spec) if isinstance(part, str) else field(w, part, quote)
        if in_spec and number and parts[number - 1] == "" and text.startswith("{ {"):
            text = "{" + text[2:]  # in a spec it is no brace: before it 3.12 has a text, which is empty
        written.append(text)
    return written


def literal_part(text: str, quote: str, in_spec: bool) -> str:
    newline = "\n" if len(quote) == 3 and not in_spec else "\\n"
    escaped = escape(text, quote, newline)
    if in_spec:  # doubled braces mean nothing there, but escapes are read after the fields were found
        return escaped.replace("{", "\\x7b").replace("}", "\\x7d")
    return escaped.replace("{", "{{").replace("}", "}}")


def field(w: Writer, part: tree.FormattedValue, quote: str) -> str:
    held = resolve(part)  # of a template, another block may have made it
    part = held if isinstance(held, tree.FormattedValue) else part
    if part.offset >= 0:
        w.marks += (len(w.out), part.offset)
    text = expression(w, part.value)
    if w.version < (3, 12) and (quote in text or "\\" in text):
        raise Unquotable
    if part.text is not None and same(part.text, text):
        text = part.text
    conversion = "!" + part.conversion if part.conversion else ""
    if part.spec is None:
        return "{" + text + conversion + "}"
    spec = resolve(part.spec)
    if isinstance(spec, tree.Const) and isinstance(spec.value, str):
        return "{" + text + conversion + ":" + literal_part(spec.value, quote, True) + "}"
    if isinstance(spec, tree.JoinedStr):
        splice(spec)
        inner: Parts = spec.parts
    else:
        inner = [tree.FormattedValue(spec, None, None)]
    return "{" + text + conversion + ":" + "".join(fields(w, inner, quote, True)) + "}"


def expression(w: Writer, node: tree.Expr) -> str:
    """The expression of a field: a colon outside of brackets would end it, and {{ would be a brace."""
    mark = len(w.marks)
    text = w.render(node, TEST)
    if "lambda" in text:
        del w.marks[mark:]
        text = w.render(node, OR)
    return " " + text if text.startswith("{") else text


def same(text: str, emitted: str) -> bool:
    """Whether the source text that a t-string keeps is the expression that was printed, or does the same: the compiler folds and
    drops parts of an expression, and the text is what stood there before."""
    return any(_same_in(head, text, emitted) for head in ("def f():", "async def f():"))  # the latter may `await`


def _same_in(head: str, text: str, emitted: str) -> bool:
    from depyf.proof import verify

    try:
        with quiet():
            one, other = (ast.parse(f"{head} _ = ({some}\n)") for some in (text, emitted))
            if ast.dump(one) == ast.dump(other):
                return True
            codes = [compile(tree_, "", "exec", dont_inherit=True) for tree_ in (one, other)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return bool(verify(*codes))


# ---------------------------------------------------------------- where no quotes suit


def push_otherwise(w: Writer, node: tree.JoinedStr) -> None:
    """An f-string that cannot be written between one pair of quotes."""
    percent = as_percent(node) if w.version >= (3, 11) else None
    if percent is not None:
        w.stack += (")", percent)
        w.out.append("(")
        return
    pieces = [fitting(w, node.prefix, [part]) for part in node.parts]
    if None not in pieces:
        w.out.append(" ".join([piece for piece in pieces if piece is not None]))
        return
    w.newlines = True
    text = fitting(w, node.prefix, node.parts)
    pieces = [text] if text is not None else [fitting(w, node.prefix, [part]) for part in node.parts]
    w.newlines = False
    if None not in pieces:
        w.out.append(" ".join([piece for piece in pieces if piece is not None]))
    else:
        w.push(format_call(node.parts), ATOM)


def format_call(parts: Parts) -> tree.Expr:
    """The same value from str.format, each spec as an argument of its own."""
    text: List[str] = []
    values: List[tree.Expr] = []
    for part in parts:
        if isinstance(part, str):
            text.append(part.replace("{", "{{").replace("}", "}}"))
            continue
        values.append(part.value)
        conversion = "!" + part.conversion if part.conversion else ""
        if part.spec is not None:
            values.append(part.spec)
        text.append("{" + conversion + (":{}" if part.spec is not None else "") + "}")
    return tree.Call(tree.Attr(tree.Const("".join(text)), "format"), values, [])


HANDLERS: Dict[type, Handler] = {
    tree.JoinedStr: joined_str,
    PercentFormat: percent_format,
}
