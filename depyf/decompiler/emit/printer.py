"""The loop that writes statements line by line, without recursion, and what all statements share.

What is still to be written waits on a stack: statements, lines such as `else:`, and numbers that shift the
indentation (1: deeper, -1: back, 0: a definition has ended).
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Sequence, Set, Tuple, Union

from .. import tree
from ..lifting.values import resolve
from . import expressions, patterns, strings
from .layout import break_line, fits_around_texts
from .precedence import TEST, WALRUS
from .writer import Handler, Writer, unprintable

EXPRESSIONS: Dict[type, Handler] = {**expressions.HANDLERS, **strings.HANDLERS, **patterns.HANDLERS}


class Elif:
    """The If that is the whole of another's else branch."""

    __slots__ = ("node",)

    def __init__(self, node: tree.If) -> None:
        self.node = node


class StarClause:
    """An `except*` clause."""

    __slots__ = ("node",)

    def __init__(self, node: tree.ExceptClause) -> None:
        self.node = node


class Docstring:
    """The text that a function, class or module starts with; `apart`: with an empty line behind it."""

    __slots__ = ("text", "apart")

    def __init__(self, text: str, apart: bool) -> None:
        self.text = text
        self.apart = apart


class EndOfClass:
    """From here on names are no longer mangled."""

    __slots__ = ()


Pending = Union[tree.Stmt, tree.ExceptClause, tree.MatchCase, Elif, StarClause, Docstring, EndOfClass, str, int]
StatementHandler = Callable[["Printer", Any], None]


class Printer:
    """Writes statements; `lines` and `marks` grow together, one entry for each line of text."""

    def __init__(
        self,
        indentation: int,
        width: int,
        version: Tuple[int, int],
        reserved: Set[str],
        handlers: Dict[type, StatementHandler],
    ) -> None:
        self.w = Writer(version, EXPRESSIONS, reserved)
        self.version = version
        self.step = " " * indentation
        self.width = width
        self.handlers = handlers
        self.indent = ""
        self.lines: List[str] = []
        self.marks: List[List[int]] = []
        self.pending: List[Pending] = []
        self.first = True  # nothing of this block is written yet
        self.blank = 0  # empty lines due before the next statement
        self.imported = 0  # the number of lines after the last import of the module
        # where in the writer's `out` parentheses may be added, to break the line inside them
        self.optional: List[Tuple[int, int]] = []

    def run(self) -> None:
        pending, handlers = self.pending, self.handlers
        while pending:
            item = pending.pop()
            handler = handlers.get(item.__class__)
            if handler is None:
                raise unprintable(item)
            handler(self, item)

    # ------------------------------------------------------------ lines

    def begin(self, offset: int) -> None:
        """Start a statement's line."""
        if self.blank:
            self.empty_lines()
        self.first = False
        if offset >= 0:
            self.w.marks += (0, offset)

    def empty_lines(self) -> None:
        if not self.first:
            for _ in range(self.blank):
                self.lines.append("")
                self.marks.append([])
        self.blank = 0

    def end(self) -> None:
        """Finish the line that is in the writer."""
        w = self.w
        text = "".join(w.out)
        if len(text) + len(self.indent) > self.width or "\n" in text:
            self.end_long(text)
        else:
            self.lines.append(self.indent + text)
            self.marks.append(w.marks)
        w.out = []
        w.marks = []
        if self.optional:
            self.optional = []

    def end_long(self, text: str) -> None:
        """Finish a line that is too long, or holds a text of several lines."""
        w = self.w
        if "\n" in text and fits_around_texts(w.out, len(self.indent), self.width):
            first, *rest = text.split("\n")
            self.lines += [self.indent + first, *rest]
            self.marks += [w.marks, *([] for _ in rest)]
            return
        lines, marks = break_line(
            w.out, w.marks, self.optional, w.formatted, self.indent, self.step, self.width
        )
        self.lines += lines
        self.marks += marks

    def line(self, text: str, offset: int = -1) -> None:
        self.begin(offset)
        self.lines.append(self.indent + text)
        self.marks.append(self.w.marks)
        self.w.marks = []

    def value(self, node: tree.Expr, needed: int) -> None:
        """An expression that may be put in parentheses when the line gets too long."""
        out = self.w.out
        start = len(out)
        self.w.push(node, needed)
        self.w.run()
        self.optional.append((start, len(out)))

    # ------------------------------------------------------------ blocks

    def block(self, body: Sequence[tree.Stmt]) -> None:
        pending = self.pending
        pending.append(-1)
        if body:
            pending.extend(reversed(body))
        else:
            pending.append("pass")
        pending.append(1)

    def test(self, keyword: str, node: tree.Expr) -> None:
        """`if`, `elif` or `while` with its condition, where a walrus needs no parentheses."""
        self.w.out.append(keyword)
        node = resolve(node)
        self.value(node, WALRUS if node.__class__ is tree.NamedExpr else TEST)
        self.w.out.append(":")
        self.end()


def shift(p: Printer, by: int) -> None:
    if by > 0:
        p.indent += p.step
        p.first = True
        p.blank = 0
    elif by < 0:
        p.indent = p.indent[: len(p.indent) - len(p.step)]
    else:
        p.blank = 1 if p.indent else 2


def clause(p: Printer, text: str) -> None:
    """A line such as `else:` that continues a statement."""
    p.blank = 0
    p.line(text)


HANDLERS: Dict[type, StatementHandler] = {int: shift, str: clause}
