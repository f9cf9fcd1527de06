"""Statements that only live while the tree is built: jumps to labels, loops and try regions not yet recognised.

While structuring, every list of statements ends in a jump or in something that does not go on (return, raise);
falling off the end of a list begins only when a label is placed right behind it.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence

from depyf.bytecode.canonical import Handler

from ..lifting.values import Held, Iterator, Joined, Manager, NextItem
from ..tree import ExceptClause, Expr, Return, Stmt


class Label:
    """A place that is jumped to: the beginning of `block`, where the stack is `entry`. `uses` counts the jumps to it.

    `leaves_star` says that the clauses of an except* lead there, which nothing but falling off their ends can express;
    `fallen_to`, that control falls there off the end of a clause.
    """

    __slots__ = ("block", "entry", "uses", "leaves_star", "fallen_to")

    def __init__(self, block: Any, entry: List[Expr]) -> None:
        self.block = block
        self.entry = entry
        self.uses = 0
        self.fallen_to = False
        self.leaves_star = bool(block.instructions) and block.instructions[0].op == "LEAVE_STAR"

    def entry_parameters(self) -> bool:
        """Whether it matters from where the label is reached."""
        return any(isinstance(v, Joined) and v.block is self.block for v in self.entry)

    def __repr__(self) -> str:
        return f"L{self.block.index}"


class Jump(Stmt):
    """Go to `label` with `stack`. `held` are the values computed just before that a later block uses. `back`: to the header
    of a loop around the jump. `certain`: it was written, whatever its line says, and `stays` where that is seen; `falls`: it was
    not, since control falls off the end of a clause."""

    __slots__ = ("label", "stack", "held", "line", "back", "certain", "stays", "falls")

    def __init__(
        self, label: Label, stack: List[Expr], held: Sequence[Held], offset: int, line: Optional[int], like: Optional[Jump] = None
    ) -> None:
        self.label = label
        self.stack = stack
        self.held = held
        self.offset = offset
        self.line = line
        self.back: bool = like is not None and like.back
        self.certain: bool = like is not None and like.certain
        self.stays: bool = like is not None and like.stays
        self.falls: bool = like is not None and like.falls

    def is_continue(self) -> bool:
        """Whether somebody wrote it. Elsewhere a jump with a line of its own may come from `pass`."""
        return self.line is not None and self.back


class End(Return):
    """The end of a module or class body, where no return can stand: not to be repeated if there is another way. `stays` as of a
    jump there."""

    __slots__ = ("stays",)

    def __init__(self, value: Expr, offset: int = -1, stays: bool = False) -> None:
        Return.__init__(self, value, offset)
        self.stays = stays


class Nowhere(End):
    """A way out of a `finally` that never ends, in such a body: any jump may stand there, since none of them is ever taken."""

    __slots__ = ()


class HeldHere(Stmt):
    """Where the values `held` were computed: those that a statement crossed are assigned to temporaries here."""

    __slots__ = ("held",)

    def __init__(self, held: Sequence[Held]) -> None:
        self.held = held
        self.offset = -1


class Branch(Stmt):
    """An `if` while the tree is built. `held` are the values computed before it that a later block uses."""

    __slots__ = ("test", "body", "orelse", "held", "line")

    def __init__(
        self,
        test: Expr,
        body: List[Stmt],
        orelse: List[Stmt],
        held: Sequence[Any],
        offset: int,
        line: Optional[int],
    ) -> None:
        self.test = test
        self.body = body
        self.orelse = orelse
        self.held = held
        self.offset = offset
        self.line = line


class NamedClause(Stmt):
    """The body of `except ... as name`, inside the handler that deletes the name again."""

    __slots__ = ("name", "body")

    def __init__(self, name: str, body: List[Stmt], offset: int) -> None:
        self.name = name
        self.body = body
        self.offset = offset


class NothingLeft(ExceptClause):
    """The way past the clauses of an except* that have left nothing to raise: no clause of the source."""

    __slots__ = ()


class Enter(Stmt):
    """A `with` item is entered here."""

    __slots__ = ("manager",)

    def __init__(self, manager: Manager, offset: int) -> None:
        self.manager = manager
        self.offset = offset


class Exit(Stmt):
    """A `with` item is left here, without an exception."""

    __slots__ = ("manager",)

    def __init__(self, manager: Manager, offset: int) -> None:
        self.manager = manager
        self.offset = offset


class Cleanup(Stmt):
    """The `finally` body of this handler runs here, without an exception; `copies` has the numbers of its annotations, by those
    they have in the handler."""

    __slots__ = ("handler", "copies")

    def __init__(self, handler: Handler, copies: Dict[int, int], offset: int) -> None:
        self.handler = handler
        self.copies = copies
        self.offset = offset


class Accumulate(Stmt):
    """Adds to a container that a comprehension builds. kind: 'list', 'set', 'dict'."""

    __slots__ = ("container", "kind", "element", "value")

    def __init__(
        self, container: Expr, kind: str, element: Expr, value: Optional[Expr], offset: int
    ) -> None:
        self.container = container
        self.kind = kind
        self.element = element
        self.value = value
        self.offset = offset


class MatchBegins(Stmt):
    """The subject of a match is evaluated here, and its first case is a branch like any other: it only has a guard."""

    __slots__ = ("subject",)

    def __init__(self, subject: Any, offset: int) -> None:
        self.subject = subject
        self.offset = offset


class Update(Stmt):
    """target op= right, where `value`, what was read of the target, was held by blocks in between: a temporary may have it."""

    __slots__ = ("target", "value", "op", "right")

    def __init__(self, target: Expr, value: Held, op: str, right: Expr, offset: int) -> None:
        self.target = target
        self.value = value
        self.op = op
        self.right = right
        self.offset = offset


class AnnotationMark(Stmt):
    """The conditional annotation number `index` stands here. `copies` are the numbers of those that stood before jumps out of
    a try, by the offsets of the jumps."""

    __slots__ = ("index", "copies")  # not compared: copies of a `finally` body have numbers of their own

    def __init__(self, index: int, offset: int) -> None:
        self.index = index
        self.copies: Dict[int, int] = {}
        self.offset = offset


class Reraise(Stmt):
    """The end of a handler that does not handle."""

    __slots__ = ()

    def __init__(self, offset: int) -> None:
        self.offset = offset


class Loop(Stmt):
    """Repeats `body` until something leaves it."""

    __slots__ = ("label", "body")

    def __init__(self, label: Label, body: List[Stmt], offset: int) -> None:
        self.label = label
        self.body = body
        self.offset = offset


class ForNext(Stmt):
    """NEXT: `body` with the next item, or `exhausted`."""

    __slots__ = ("iterator", "item", "body", "exhausted")

    def __init__(
        self, iterator: Iterator, item: NextItem, body: List[Stmt], exhausted: List[Stmt], offset: int
    ) -> None:
        self.iterator = iterator
        self.item = item
        self.body = body
        self.exhausted = exhausted
        self.offset = offset


class TryRegion(Stmt):
    """A protected body and the code of its handler, before it is known which statement it is."""

    __slots__ = ("handler", "body", "catch")

    def __init__(self, handler: Any, body: List[Stmt], catch: List[Stmt], offset: int) -> None:
        self.handler = handler
        self.body = body
        self.catch = catch
        self.offset = offset


Labels = Dict[Any, Label]
