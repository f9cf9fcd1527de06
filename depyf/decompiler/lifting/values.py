"""Symbolic stack values: expressions that live between lifting and printing.

A value is an expression that may be printed in one of two ways: in place, or as the name of a temporary that
was assigned where the value was computed. Which of the two is decided while the tree is built; `resolve` sees
through a decided value. The emitter never meets one undecided.
"""

from __future__ import annotations

from typing import Any, List, Optional

from depyf.bytecode.codes import is_async

from ..tree import Expr, Name


class Value(Expr):
    """Stands for `value`, or for a temporary once `name` is set."""

    __slots__ = ("value", "name")

    def __init__(self, value: Optional[Expr], offset: int = -1) -> None:
        self.value = value
        self.name: Optional[str] = None
        self.offset = offset


class Copied(Value):
    """A value that COPY made two of. `evaluated` once the first of them was used; `rebound` if it is a local which the same
    expression stores to, so that its name means something else behind it; see `unprotected` for the rest."""

    __slots__ = ("evaluated", "rebound", "unprotected")

    def __init__(self, value: Expr, offset: int = -1) -> None:
        Value.__init__(self, value, offset)
        self.evaluated = False
        self.rebound = False
        self.unprotected = False


class Fresh(Value):
    """An empty display that items may be added to: by the instructions after it, or by a comprehension's loop.

    `looped` when it lies below the iterator of a loop, as what a comprehension makes does."""

    __slots__ = ("looped",)

    def __init__(self, value: Optional[Expr], offset: int = -1) -> None:
        Value.__init__(self, value, offset)
        self.looped = False


class Held(Value):
    """A value computed in one block and used in a later one. `crossed` when a statement stands between."""

    __slots__ = ("crossed", "block")

    def __init__(self, value: Expr, block: Any, offset: int = -1) -> None:
        Value.__init__(self, value, offset)
        self.crossed = False
        self.block = block


class Joined(Value):
    """A stack slot of a block that is entered with different values: a block parameter. `crossed` as for Held."""

    __slots__ = ("block", "slot", "crossed")

    def __init__(self, block: Any, slot: int) -> None:
        Value.__init__(self, None, -1)
        self.crossed = False
        self.block = block
        self.slot = slot


def resolve(expr: Expr) -> Expr:
    """The expression that is printed for `expr`: decided values are seen through."""
    while isinstance(expr, Value):
        if expr.name is not None:
            return Name(expr.name, expr.offset)
        if expr.value is None:
            return expr
        expr = expr.value
    return expr


# ---------------------------------------------------------------- markers: stack slots that are no Python value


class Marker(Expr):
    """A slot that a statement keeps on the stack while it runs, or that the interpreter needs."""

    __slots__ = ()


class Null(Marker):
    __slots__ = ()


class Opaque(Marker):
    """lasti, a previous exception, a traceback: never printed."""

    __slots__ = ("what",)

    def __init__(self, what: str) -> None:
        self.what = what
        self.offset = -1


class Caught(Marker):
    """The exception that a handler was entered with; `part` is 'value', 'type' or 'traceback'."""

    __slots__ = ("handler", "part")

    def __init__(self, handler: Any, part: str) -> None:
        self.handler = handler
        self.part = part
        self.offset = -1


class Iterator(Marker):
    """The iterator of a loop, on the stack while the loop runs. `given` when no ITER made it."""

    __slots__ = ("value", "given", "is_async")

    def __init__(self, value: Expr, given: bool, is_async: bool, offset: int) -> None:
        self.value = value
        self.given = given
        self.is_async = is_async
        self.offset = offset


class NextItem(Marker):
    """What a loop's iterator gave."""

    __slots__ = ("loop",)

    def __init__(self, loop: Any) -> None:
        self.loop = loop
        self.offset = -1


class Manager:
    """One `with` item: shared by the markers and statements that belong to it."""

    __slots__ = ("value", "is_async", "offset")

    def __init__(self, value: Expr, is_async: bool, offset: int) -> None:
        self.value = value
        self.is_async = is_async
        self.offset = offset


class ManagerPart(Marker):
    """part: 'exit', 'self', 'entered' (the value of `as`), 'entering' (awaitable), 'exiting', 'suppress'."""

    __slots__ = ("manager", "part")

    def __init__(self, manager: Manager, part: str, offset: int = -1) -> None:
        self.manager = manager
        self.part = part
        self.offset = offset


class Saved(Marker):
    """A local that an inlined comprehension hides while it runs."""

    __slots__ = ("local",)

    def __init__(self, local: str, offset: int) -> None:
        self.local = local
        self.offset = offset


class ClosureCell(Marker):
    __slots__ = ("name",)

    def __init__(self, name: str, offset: int) -> None:
        self.name = name
        self.offset = offset


class Namespace(Marker):
    """LOAD_LOCALS: the class body's mapping."""

    __slots__ = ()

    def __init__(self, offset: int) -> None:
        self.offset = offset


class Unpacking:
    """An UNPACK whose items are being stored; complete when every target is known. `before` is what was evaluated earlier."""

    __slots__ = ("value", "targets", "missing", "star", "offset", "before")

    def __init__(self, value: Expr, count: int, star: int, offset: int) -> None:
        self.value = value
        self.before: List[Expr] = []
        self.targets: List[Optional[Expr]] = [None] * count
        self.missing = count
        self.star = star
        self.offset = offset


class UnpackedItem(Marker):
    __slots__ = ("unpacking", "position")

    def __init__(self, unpacking: Unpacking, position: int) -> None:
        self.unpacking = unpacking
        self.position = position
        self.offset = unpacking.offset


class Imported(Marker):
    """A module on its way to a name; `names` collects what `from` takes out of it."""

    __slots__ = ("module", "level", "fromlist", "lazy", "names")

    def __init__(self, module: str, level: int, fromlist: Any, lazy: bool, offset: int) -> None:
        self.module = module
        self.level = level
        self.fromlist = fromlist
        self.lazy = lazy
        self.names: List[Any] = []
        self.offset = offset


class ImportedName(Marker):
    __slots__ = ("origin", "name")

    def __init__(self, origin: Imported, name: str, offset: int) -> None:
        self.origin = origin
        self.name = name
        self.offset = offset


# ---------------------------------------------------------------- expressions that a later stage replaces


class Local(Name):
    """A local variable that was read: silent, but not to be moved across a store to it."""

    __slots__ = ()


class Chained(Expr):
    """A value that was stored to `targets` and is still on the stack: a = b = value, or (a := value)."""

    __slots__ = ("value", "targets")

    def __init__(self, value: Expr, targets: List[Expr], offset: int) -> None:
        self.value = value
        self.targets = targets
        self.offset = offset


class Inplace(Expr):
    """left op= right before it is stored back."""

    __slots__ = ("left", "op", "right")

    def __init__(self, left: Expr, op: str, right: Expr, offset: int) -> None:
        self.left = left
        self.op = op
        self.right = right
        self.offset = offset


class Converted(Expr):
    """A value on its way into an f-string, with its conversion."""

    __slots__ = ("value", "conversion")

    def __init__(self, value: Expr, conversion: str, offset: int) -> None:
        self.value = value
        self.conversion = conversion
        self.offset = offset


class Function(Value):
    """A function object as MAKE_FUNCTION builds it; `fields` are the creation's extras by name.

    Becomes a Lambda, or the function of a `def`, a class or a comprehension, once its own code is decompiled."""

    __slots__ = ("code", "fields")

    def __init__(self, code: Any, fields: Any, offset: int) -> None:
        Value.__init__(self, None, offset)
        self.code = code
        self.fields = fields


COMPREHENSIONS = {"<listcomp>": "list", "<setcomp>": "set", "<dictcomp>": "dict", "<genexpr>": "generator"}


def is_comprehension(value: Expr) -> bool:
    """Whether a value is the function of a comprehension: part of an expression that is not complete yet."""
    return isinstance(value, Function) and value.code.co_name in COMPREHENSIONS


class ComprehensionCall(Value):
    """A call of a comprehension's own function on its first iterator; `waited` when it was waited for, as its text says by itself."""

    __slots__ = ("function", "iterator", "waited")

    def __init__(self, function: Function, iterator: Expr, offset: int) -> None:
        Value.__init__(self, None, offset)
        self.function = function
        self.iterator = iterator
        self.waited = False

    def waits(self) -> bool:
        """Whether the comprehension is asynchronous, and still to be waited for; a generator is waited for item by item."""
        return not self.waited and is_async(self.function.code) and self.function.code.co_name != "<genexpr>"


class Class(Expr):
    """A call of __build_class__."""

    __slots__ = ("function", "name", "args", "keywords")

    def __init__(self, function: Function, name: str, args: List[Expr], keywords: Any, offset: int) -> None:
        self.function = function
        self.name = name
        self.args = args
        self.keywords = keywords
        self.offset = offset


class Builtin(Expr):
    """An object that the interpreter itself provides, whatever its name means now."""

    __slots__ = ("name",)

    def __init__(self, name: str, offset: int) -> None:
        self.name = name
        self.offset = offset


class Awaitable(Expr):
    """GET_AWAITABLE or GET_YIELD_FROM_ITER of `value`, before it is waited for. kind: 'await' or 'yield from'."""

    __slots__ = ("value", "kind")

    def __init__(self, value: Expr, kind: str, offset: int) -> None:
        self.value = value
        self.kind = kind
        self.offset = offset


class Test(Expr):
    """A condition that only a statement can express: 'exception' (except clause), 'group', 'sequence', 'mapping',
    'keys', 'class', 'length' (match), 'intrinsic'. `operands` as on the stack."""

    __slots__ = ("kind", "operands", "extra")

    def __init__(self, kind: str, operands: List[Expr], offset: int, extra: Any = None) -> None:
        self.kind = kind
        self.operands = operands
        self.offset = offset
        self.extra = extra


NULL = Null()
NULL.offset = -1
