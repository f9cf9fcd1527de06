"""The writer: turns one expression at a time into fragments of text, without recursion.

Work waits on a stack of fragments and nodes; a node's handler pushes its parts, last part first. `layout` later
finds brackets and separators by their fragments, so each of those is a fragment of its own.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Set, Tuple, Union

from ...errors import DecompilationError
from .. import tree
from ..lifting.values import Local, Value, resolve
from . import literals
from .chunks import Formatted
from .formats import PercentFormat, printed
from .names import Attributes, KeywordNames, Names, Objects
from .precedence import AND, ATOM, FACTOR, NOT, OF_CLASS, OF_OPERATOR, OR, TERM, TUPLE

COMMA = ", "  # the fragment that layout takes for a separator

Piece = Union[str, tree.Node]
Handler = Callable[["Writer", Any], None]


class Mark(tree.Node):
    """Writes nothing: says where a node begins whose parts are pushed without it."""

    __slots__ = ()

    def __init__(self, offset: int) -> None:
        self.offset = offset


def mark(w: Writer, node: Mark) -> None:
    """`run` has noted the offset, which is all there is to do."""


class Writer:
    """Fragments of the current logical line (`out`), and what is still to be written of it (`stack`).

    `marks` alternates fragment positions and the bytecode offsets of the nodes that begin there.
    """

    __slots__ = (
        "version",
        "out",
        "stack",
        "marks",
        "names",
        "attributes",
        "keyword_names",
        "objects",
        "class_depth",
        "handlers",
        "quotes",
        "newlines",
        "formatted",
    )

    def __init__(self, version: Tuple[int, int], handlers: Dict[type, Handler], reserved: Set[str]) -> None:
        self.version = version
        self.out: List[str] = []
        self.stack: List[Piece] = []
        self.marks: List[int] = []
        self.names = Names(reserved)
        self.attributes = Attributes(self.names)
        self.keyword_names = KeywordNames()
        self.objects = Objects(self.names)
        self.class_depth = 0
        self.handlers = handlers
        # the quotes a string may use where it stands inside an f-string; None: any
        self.quotes: Optional[Tuple[str, ...]] = None
        # whether such a string may go on over several lines
        self.newlines = False
        # the tokens of long f-strings, for `layout` to cut them
        self.formatted: Formatted = {}

    def push(self, node: tree.Expr, needed: int) -> None:
        """Put an expression on the stack, in parentheses if it binds less tightly than `needed`."""
        own = OF_CLASS.get(node.__class__, -1)
        if own < 0:
            if isinstance(node, Value):
                node = resolve(node)
                own = OF_CLASS.get(node.__class__, -1)
            if own < 0:
                if isinstance(node, (tree.JoinedStr, tree.FormattedValue)):
                    node = printed(node, self.version)
                own = weigh(node)
        if own < needed:
            self.stack += (")", node, "(")
        else:
            self.stack.append(node)

    def push_list(self, items: Sequence[tree.Expr], needed: int) -> None:
        """Put expressions on the stack, with commas between them."""
        push, stack, last = self.push, self.stack, len(items) - 1
        for index in range(last, -1, -1):
            if index != last:
                stack.append(COMMA)
            push(items[index], needed)

    def run(self) -> None:
        """Write until nothing is left on the stack."""
        stack, out, marks = self.stack, self.out, self.marks
        pop, append, mark = stack.pop, out.append, marks.append
        handlers, names, name_class, local_class = self.handlers, self.names, tree.Name, Local
        while stack:
            piece = pop()
            kind = piece.__class__
            if kind is str:
                append(piece)  # type: ignore[arg-type]
                continue
            offset = piece.offset  # type: ignore[union-attr]
            if offset >= 0:
                mark(len(out))
                mark(offset)
            if kind is name_class or kind is local_class:
                append(names[piece.id])  # type: ignore[union-attr]
            else:
                handlers[kind](self, piece)

    def write(self, node: tree.Expr, needed: int) -> None:
        """Write a whole expression at the end of the line."""
        self.push(node, needed)
        self.run()

    def render(self, node: tree.Expr, needed: int) -> str:
        """The text of an expression by itself (for the inside of an f-string); its marks stay with this place."""
        out, stack, first = self.out, self.stack, len(self.marks)
        self.out, self.stack = [], []
        try:
            self.write(node, needed)
            return "".join(self.out)
        finally:
            self.out, self.stack = out, stack
            for index in range(first, len(self.marks), 2):
                self.marks[index] = len(out)


def weigh(node: tree.Expr) -> int:
    """The precedence of a node for which it depends on more than its class."""
    kind = node.__class__
    if kind is tree.Const:
        return weigh_constant(node.value)  # type: ignore[attr-defined]
    if kind is tree.Binary:
        return OF_OPERATOR[node.op]  # type: ignore[attr-defined]
    if kind is tree.BoolOp:
        return AND if node.op == "and" else OR  # type: ignore[attr-defined]
    if kind is tree.Unary:
        return NOT if node.op == "not" else FACTOR  # type: ignore[attr-defined]
    if kind is tree.Tuple_:
        return TUPLE if node.items else ATOM  # type: ignore[attr-defined]
    if kind is tree.JoinedStr:
        return ATOM
    if kind is PercentFormat:
        return TERM
    raise unprintable(node)


def unprintable(node: Any) -> DecompilationError:
    """For what should not have come as far as the emitter."""
    offset = getattr(node, "offset", -1)
    return DecompilationError(f"{type(node).__name__} has no form in source", offset=offset if offset >= 0 else None)


def weigh_constant(value: Any) -> int:
    kind = type(value)
    if kind is int:
        return ATOM if value >= 0 else FACTOR
    if kind is tuple:
        return TUPLE if value and literals.is_literal(value) else ATOM
    if kind is float or kind is complex:
        text = literals.scalar(value)
        return FACTOR if text is not None and text[0] == "-" else ATOM
    return ATOM
