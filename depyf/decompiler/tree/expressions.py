"""Expressions: what has a value."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple, Union

from .nodes import Expr


class Const(Expr):
    """Any object of co_consts. Literals print as themselves; anything else prints as a readable placeholder."""

    __slots__ = ("value",)

    def __init__(self, value: Any, offset: int = -1) -> None:
        self.value = value
        self.offset = offset


class Name(Expr):
    __slots__ = ("id",)

    def __init__(self, id: str, offset: int = -1) -> None:
        self.id = id
        self.offset = offset


class Verbatim(Expr):
    """An annotation whose text is all that the bytecode holds."""

    __slots__ = ("text",)

    def __init__(self, text: str, offset: int = -1) -> None:
        self.text = text
        self.offset = offset


class Attr(Expr):
    __slots__ = ("value", "name")

    def __init__(self, value: Expr, name: str, offset: int = -1) -> None:
        self.value = value
        self.name = name
        self.offset = offset


class Item(Expr):
    """value[key]; the key may be a Slice, or a Tuple that holds Slices."""

    __slots__ = ("value", "key")

    def __init__(self, value: Expr, key: Expr, offset: int = -1) -> None:
        self.value = value
        self.key = key
        self.offset = offset


class Slice(Expr):
    """start:stop:step as a key. Absent parts are None here; an explicit `None` constant means absent too.

    Outside of a subscript it prints as slice(start, stop, step)."""

    __slots__ = ("start", "stop", "step")

    def __init__(self, start: Optional[Expr], stop: Optional[Expr], step: Optional[Expr], offset: int = -1) -> None:
        self.start = start
        self.stop = stop
        self.step = step
        self.offset = offset


class Call(Expr):
    """func(*args, **keywords): args may hold Starred; a keyword without a name is `**value`."""

    __slots__ = ("func", "args", "keywords")

    def __init__(
        self, func: Expr, args: List[Expr], keywords: List[Tuple[Optional[str], Expr]], offset: int = -1
    ) -> None:
        self.func = func
        self.args = args
        self.keywords = keywords
        self.offset = offset


class Unary(Expr):
    """op is '-', '+', '~' or 'not'."""

    __slots__ = ("op", "operand")

    def __init__(self, op: str, operand: Expr, offset: int = -1) -> None:
        self.op = op
        self.operand = operand
        self.offset = offset


class Binary(Expr):
    __slots__ = ("left", "op", "right")

    def __init__(self, left: Expr, op: str, right: Expr, offset: int = -1) -> None:
        self.left = left
        self.op = op
        self.right = right
        self.offset = offset


class Compare(Expr):
    """left ops[0] comparators[0] ops[1] ...; ops as written: '<', 'is not', 'not in', ..."""

    __slots__ = ("left", "ops", "comparators")

    def __init__(self, left: Expr, ops: List[str], comparators: List[Expr], offset: int = -1) -> None:
        self.left = left
        self.ops = ops
        self.comparators = comparators
        self.offset = offset


class BoolOp(Expr):
    """op is 'and' or 'or'; at least two values. `flat`: none of them must be grouped with the next."""

    __slots__ = ("op", "values", "flat")

    def __init__(self, op: str, values: List[Expr], offset: int = -1, flat: bool = False) -> None:
        self.op = op
        self.values = values
        self.offset = offset
        self.flat = flat


class IfExp(Expr):
    __slots__ = ("test", "body", "orelse")

    def __init__(self, test: Expr, body: Expr, orelse: Expr, offset: int = -1) -> None:
        self.test = test
        self.body = body
        self.orelse = orelse
        self.offset = offset


class NamedExpr(Expr):
    __slots__ = ("target", "value")

    def __init__(self, target: Name, value: Expr, offset: int = -1) -> None:
        self.target = target
        self.value = value
        self.offset = offset


class Starred(Expr):
    __slots__ = ("value",)

    def __init__(self, value: Expr, offset: int = -1) -> None:
        self.value = value
        self.offset = offset


class Tuple_(Expr):
    __slots__ = ("items",)

    def __init__(self, items: List[Expr], offset: int = -1) -> None:
        self.items = items
        self.offset = offset


class List_(Expr):
    __slots__ = ("items",)

    def __init__(self, items: List[Expr], offset: int = -1) -> None:
        self.items = items
        self.offset = offset


class Set_(Expr):
    """A set display; items is never empty unless it holds one Starred of an empty display. `frozen`: it was a constant."""

    __slots__ = ("items", "frozen")

    def __init__(self, items: List[Expr], offset: int = -1, frozen: bool = False) -> None:
        self.items = items
        self.offset = offset
        self.frozen = frozen


class Dict_(Expr):
    """A dict display: (key, value) pairs; a pair whose key is None is `**value`."""

    __slots__ = ("items",)

    def __init__(self, items: List[Tuple[Optional[Expr], Expr]], offset: int = -1) -> None:
        self.items = items
        self.offset = offset


SPLICE = "splice"  # as a conversion: the value is a string whose parts belong to the string around it


class FormattedValue(Expr):
    """{value!conversion:spec} of an f-string, or of a t-string when `text` (the source of the expression) is given."""

    __slots__ = ("value", "conversion", "spec", "text")

    def __init__(
        self,
        value: Expr,
        conversion: Optional[str],
        spec: Optional[Expr],
        offset: int = -1,
        text: Optional[str] = None,
    ) -> None:
        self.value = value
        self.conversion = conversion
        self.spec = spec  # a Const str, or a JoinedStr, or any expression that prints as {expr}
        self.offset = offset
        self.text = text


class JoinedStr(Expr):
    """An f-string ('f') or t-string ('t'): parts are str or FormattedValue."""

    __slots__ = ("parts", "prefix")

    def __init__(self, parts: List[Union[str, FormattedValue]], prefix: str = "f", offset: int = -1) -> None:
        self.parts = parts
        self.prefix = prefix
        self.offset = offset


class Yield(Expr):
    __slots__ = ("value",)

    def __init__(self, value: Optional[Expr], offset: int = -1) -> None:
        self.value = value
        self.offset = offset


class YieldFrom(Expr):
    __slots__ = ("value",)

    def __init__(self, value: Expr, offset: int = -1) -> None:
        self.value = value
        self.offset = offset


class Await(Expr):
    __slots__ = ("value",)

    def __init__(self, value: Expr, offset: int = -1) -> None:
        self.value = value
        self.offset = offset


class Generator:
    """`[async] for target in iter if ... if ...` of a comprehension."""

    __slots__ = ("target", "iter", "ifs", "is_async")

    def __init__(self, target: Expr, iter: Expr, ifs: List[Expr], is_async: bool) -> None:
        self.target = target
        self.iter = iter
        self.ifs = ifs
        self.is_async = is_async


class Comprehension(Expr):
    """kind: 'list', 'set', 'dict' or 'generator'. `value` is a dict comprehension's value, else None."""

    __slots__ = ("kind", "element", "value", "generators")

    def __init__(
        self, kind: str, element: Expr, value: Optional[Expr], generators: List[Generator], offset: int = -1
    ) -> None:
        self.kind = kind
        self.element = element
        self.value = value
        self.generators = generators
        self.offset = offset


class Parameter:
    """One parameter of a function or lambda. kind: 'positional_only', 'normal', 'vararg', 'keyword_only', 'kwarg'."""

    __slots__ = ("name", "kind", "default", "annotation")

    def __init__(
        self, name: str, kind: str, default: Optional[Expr] = None, annotation: Optional[Expr] = None
    ) -> None:
        self.name = name
        self.kind = kind
        self.default = default
        self.annotation = annotation


class Lambda(Expr):
    __slots__ = ("parameters", "body")

    def __init__(self, parameters: List[Parameter], body: Expr, offset: int = -1) -> None:
        self.parameters = parameters
        self.body = body
        self.offset = offset
