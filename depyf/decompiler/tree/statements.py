"""Statements, and the parts that only they have: clauses, parameters of types, cases."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

from .expressions import Parameter
from .nodes import Expr, Node, Stmt
from .patterns import Pattern


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
    """`line` is that of the jump, where it was written on a line of its own; `certain` when it stood nowhere else."""

    __slots__ = ("line", "certain")

    def __init__(self, offset: int = -1, line: Optional[int] = None, certain: bool = False) -> None:
        self.offset = offset
        self.line = line
        self.certain = certain


class Continue(Stmt):
    """`line` is that of the jump, where it was written on a line of its own; `certain` when it stood nowhere else."""

    __slots__ = ("line", "certain")

    def __init__(self, offset: int = -1, line: Optional[int] = None, certain: bool = False) -> None:
        self.offset = offset
        self.line = line
        self.certain = certain


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
    """An `else` that holds exactly one If prints as elif. One that stands `apart` has an empty line in front."""

    __slots__ = ("test", "body", "orelse", "apart")

    def __init__(self, test: Expr, body: List[Stmt], orelse: List[Stmt], offset: int = -1) -> None:
        self.test = test
        self.body = body
        self.orelse = orelse
        self.offset = offset
        self.apart = False


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
