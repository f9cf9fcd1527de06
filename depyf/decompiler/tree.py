"""The tree that the decompiler builds and the emitter prints: Python's own statements and expressions.

Nodes are plain data. `offset` is the bytecode offset a node came from, -1 where it has none. Lists of
statements are ordinary lists; an empty list means that nothing is written (the emitter writes `pass`).
Nodes that only live between two stages (symbolic values, jumps to labels) are not here: see `values` and `jumps`.
"""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple, Union


class Node:
    __slots__ = ("offset",)
    offset: int

    def __repr__(self) -> str:
        names = [n for k in type(self).__mro__ for n in getattr(k, "__slots__", ()) if n != "offset"]
        return f"{type(self).__name__}({', '.join(repr(getattr(self, n, None)) for n in names)})"


class Expr(Node):
    __slots__ = ()


class Stmt(Node):
    __slots__ = ()


# ---------------------------------------------------------------- expressions


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
    """op is 'and' or 'or'; at least two values."""

    __slots__ = ("op", "values")

    def __init__(self, op: str, values: List[Expr], offset: int = -1) -> None:
        self.op = op
        self.values = values
        self.offset = offset


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
    """A set display; items is never empty unless it holds one Starred of an empty display."""

    __slots__ = ("items",)

    def __init__(self, items: List[Expr], offset: int = -1) -> None:
        self.items = items
        self.offset = offset


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


# ---------------------------------------------------------------- statements


class Assign(Stmt):
    """targets[0] = targets[1] = ... = value"""

    __slots__ = ("targets", "value")

    def __init__(self, targets: List[Expr], value: Expr, offset: int = -1) -> None:
        self.targets = targets
        self.value = value
        self.offset = offset


class AugAssign(Stmt):
    """target op= value; op without the '='."""

    __slots__ = ("target", "op", "value")

    def __init__(self, target: Expr, op: str, value: Expr, offset: int = -1) -> None:
        self.target = target
        self.op = op
        self.value = value
        self.offset = offset


class AnnAssign(Stmt):
    """target: annotation [= value]; not `simple` prints parentheses around a name."""

    __slots__ = ("target", "annotation", "value", "simple")

    def __init__(
        self, target: Expr, annotation: Expr, value: Optional[Expr], simple: bool = True, offset: int = -1
    ) -> None:
        self.target = target
        self.annotation = annotation
        self.value = value
        self.simple = simple
        self.offset = offset


class ExprStmt(Stmt):
    __slots__ = ("value",)

    def __init__(self, value: Expr, offset: int = -1) -> None:
        self.value = value
        self.offset = offset


class Return(Stmt):
    """`value` is None only where no value may be written: in asynchronous generators."""

    __slots__ = ("value",)

    def __init__(self, value: Expr, offset: int = -1) -> None:
        self.value: Any = value
        self.offset = offset


class Raise(Stmt):
    __slots__ = ("exception", "cause")

    def __init__(self, exception: Optional[Expr], cause: Optional[Expr], offset: int = -1) -> None:
        self.exception = exception
        self.cause = cause
        self.offset = offset


class Delete(Stmt):
    __slots__ = ("targets",)

    def __init__(self, targets: List[Expr], offset: int = -1) -> None:
        self.targets = targets
        self.offset = offset


class Assert(Stmt):
    __slots__ = ("test", "message")

    def __init__(self, test: Expr, message: Optional[Expr], offset: int = -1) -> None:
        self.test = test
        self.message = message
        self.offset = offset


class Pass(Stmt):
    __slots__ = ()

    def __init__(self, offset: int = -1) -> None:
        self.offset = offset


class Break(Stmt):
    __slots__ = ()

    def __init__(self, offset: int = -1) -> None:
        self.offset = offset


class Continue(Stmt):
    __slots__ = ()

    def __init__(self, offset: int = -1) -> None:
        self.offset = offset


class Global(Stmt):
    __slots__ = ("names",)

    def __init__(self, names: List[str], offset: int = -1) -> None:
        self.names = names
        self.offset = offset


class Nonlocal(Stmt):
    __slots__ = ("names",)

    def __init__(self, names: List[str], offset: int = -1) -> None:
        self.names = names
        self.offset = offset


class Import(Stmt):
    """import name [as alias], ...; lazy is 3.15's soft keyword."""

    __slots__ = ("names", "lazy")

    def __init__(self, names: List[Tuple[str, Optional[str]]], lazy: bool = False, offset: int = -1) -> None:
        self.names = names
        self.lazy = lazy
        self.offset = offset


class ImportFrom(Stmt):
    """from ..module import name [as alias], ...; names is [('*', None)] for a star."""

    __slots__ = ("module", "names", "level", "lazy")

    def __init__(
        self,
        module: str,
        names: List[Tuple[str, Optional[str]]],
        level: int,
        lazy: bool = False,
        offset: int = -1,
    ) -> None:
        self.module = module
        self.names = names
        self.level = level
        self.lazy = lazy
        self.offset = offset


class If(Stmt):
    """An `else` that holds exactly one If prints as elif."""

    __slots__ = ("test", "body", "orelse")

    def __init__(self, test: Expr, body: List[Stmt], orelse: List[Stmt], offset: int = -1) -> None:
        self.test = test
        self.body = body
        self.orelse = orelse
        self.offset = offset


class While(Stmt):
    __slots__ = ("test", "body", "orelse")

    def __init__(self, test: Expr, body: List[Stmt], orelse: List[Stmt], offset: int = -1) -> None:
        self.test = test
        self.body = body
        self.orelse = orelse
        self.offset = offset


class For(Stmt):
    __slots__ = ("target", "iter", "body", "orelse", "is_async")

    def __init__(
        self,
        target: Expr,
        iter: Expr,
        body: List[Stmt],
        orelse: List[Stmt],
        is_async: bool = False,
        offset: int = -1,
    ) -> None:
        self.target = target
        self.iter = iter
        self.body = body
        self.orelse = orelse
        self.is_async = is_async
        self.offset = offset


class ExceptClause:
    """except [pattern [as name]]: body"""

    __slots__ = ("pattern", "name", "body", "offset")

    def __init__(self, pattern: Optional[Expr], name: Optional[str], body: List[Stmt], offset: int = -1) -> None:
        self.pattern = pattern
        self.name = name
        self.body = body
        self.offset = offset


class Try(Stmt):
    """try / except[*] / else / finally; at least a clause or a finally body."""

    __slots__ = ("body", "clauses", "orelse", "finalbody", "star")

    def __init__(
        self,
        body: List[Stmt],
        clauses: List[ExceptClause],
        orelse: List[Stmt],
        finalbody: List[Stmt],
        star: bool = False,
        offset: int = -1,
    ) -> None:
        self.body = body
        self.clauses = clauses
        self.orelse = orelse
        self.finalbody = finalbody
        self.star = star
        self.offset = offset


class With(Stmt):
    """with items[0] as target, ...: body"""

    __slots__ = ("items", "body", "is_async")

    def __init__(
        self,
        items: List[Tuple[Expr, Optional[Expr]]],
        body: List[Stmt],
        is_async: bool = False,
        offset: int = -1,
    ) -> None:
        self.items = items
        self.body = body
        self.is_async = is_async
        self.offset = offset


class TypeParameter:
    """T[: bound] [= default], *Ts or **P; kind: 'typevar', 'typevartuple', 'paramspec'."""

    __slots__ = ("name", "kind", "bound", "default")

    def __init__(
        self, name: str, kind: str, bound: Optional[Expr] = None, default: Optional[Expr] = None
    ) -> None:
        self.name = name
        self.kind = kind
        self.bound = bound
        self.default = default


class FunctionDef(Stmt):
    """A `def` with all that its creation holds. `docstring` prints first in the body when not None."""

    __slots__ = (
        "name",
        "parameters",
        "body",
        "decorators",
        "returns",
        "type_parameters",
        "is_async",
        "docstring",
    )

    def __init__(
        self,
        name: str,
        parameters: List[Parameter],
        body: List[Stmt],
        decorators: Optional[List[Expr]] = None,
        returns: Optional[Expr] = None,
        type_parameters: Optional[List[TypeParameter]] = None,
        is_async: bool = False,
        docstring: Optional[str] = None,
        offset: int = -1,
    ) -> None:
        self.name = name
        self.parameters = parameters
        self.body = body
        self.decorators = decorators or []
        self.returns = returns
        self.type_parameters = type_parameters or []
        self.is_async = is_async
        self.docstring = docstring
        self.offset = offset


class ClassDef(Stmt):
    __slots__ = ("name", "args", "keywords", "body", "decorators", "type_parameters", "docstring")

    def __init__(
        self,
        name: str,
        args: List[Expr],
        keywords: List[Tuple[Optional[str], Expr]],
        body: List[Stmt],
        decorators: Optional[List[Expr]] = None,
        type_parameters: Optional[List[TypeParameter]] = None,
        docstring: Optional[str] = None,
        offset: int = -1,
    ) -> None:
        self.name = name
        self.args = args
        self.keywords = keywords
        self.body = body
        self.decorators = decorators or []
        self.type_parameters = type_parameters or []
        self.docstring = docstring
        self.offset = offset


class TypeAlias(Stmt):
    __slots__ = ("name", "type_parameters", "value")

    def __init__(self, name: str, type_parameters: List[TypeParameter], value: Expr, offset: int = -1) -> None:
        self.name = name
        self.type_parameters = type_parameters
        self.value = value
        self.offset = offset


# ---------------------------------------------------------------- match


class Pattern(Node):
    __slots__ = ()


class MatchValue(Pattern):
    """A literal or a dotted name, compared by ==; None, True and False by `is`."""

    __slots__ = ("value",)

    def __init__(self, value: Expr, offset: int = -1) -> None:
        self.value = value
        self.offset = offset


class MatchSequence(Pattern):
    __slots__ = ("patterns",)

    def __init__(self, patterns: List[Pattern], offset: int = -1) -> None:
        self.patterns = patterns
        self.offset = offset


class MatchStar(Pattern):
    __slots__ = ("name",)

    def __init__(self, name: Optional[str], offset: int = -1) -> None:
        self.name = name
        self.offset = offset


class MatchMapping(Pattern):
    __slots__ = ("keys", "patterns", "rest")

    def __init__(
        self, keys: List[Expr], patterns: List[Pattern], rest: Optional[str], offset: int = -1
    ) -> None:
        self.keys = keys
        self.patterns = patterns
        self.rest = rest
        self.offset = offset


class MatchClass(Pattern):
    __slots__ = ("cls", "patterns", "keywords")

    def __init__(
        self, cls: Expr, patterns: List[Pattern], keywords: List[Tuple[str, Pattern]], offset: int = -1
    ) -> None:
        self.cls = cls
        self.patterns = patterns
        self.keywords = keywords
        self.offset = offset


class MatchAs(Pattern):
    """pattern as name; a bare capture has no pattern, the wildcard `_` has neither."""

    __slots__ = ("pattern", "name")

    def __init__(self, pattern: Optional[Pattern], name: Optional[str], offset: int = -1) -> None:
        self.pattern = pattern
        self.name = name
        self.offset = offset


class MatchOr(Pattern):
    __slots__ = ("patterns",)

    def __init__(self, patterns: List[Pattern], offset: int = -1) -> None:
        self.patterns = patterns
        self.offset = offset


class MatchCase:
    __slots__ = ("pattern", "guard", "body")

    def __init__(self, pattern: Pattern, guard: Optional[Expr], body: List[Stmt]) -> None:
        self.pattern = pattern
        self.guard = guard
        self.body = body


class Match(Stmt):
    __slots__ = ("subject", "cases")

    def __init__(self, subject: Expr, cases: List[MatchCase], offset: int = -1) -> None:
        self.subject = subject
        self.cases = cases
        self.offset = offset


class Module(Node):
    """The statements of a module, or of whatever text is printed at the top level."""

    __slots__ = ("body", "docstring")

    def __init__(self, body: List[Stmt], docstring: Optional[str] = None, offset: int = -1) -> None:
        self.body = body
        self.docstring = docstring
        self.offset = offset


Statements = List[Stmt]
Expressions = Sequence[Expr]
