"""From Python's own syntax tree to depyf's, and a form of the former in which emitted text can be compared.

Only for tests: real source, parsed by CPython, is the best supply of trees that the emitter must print.
"""

from __future__ import annotations

import ast
import re
import sys
from typing import Any, Dict, List, Optional

from depyf.decompiler import tree as t

OPERATORS: Dict[str, str] = {
    "Add": "+",
    "Sub": "-",
    "Mult": "*",
    "MatMult": "@",
    "Div": "/",
    "FloorDiv": "//",
    "Mod": "%",
    "Pow": "**",
    "LShift": "<<",
    "RShift": ">>",
    "BitOr": "|",
    "BitXor": "^",
    "BitAnd": "&",
    "USub": "-",
    "UAdd": "+",
    "Invert": "~",
    "Not": "not",
    "And": "and",
    "Or": "or",
    "Eq": "==",
    "NotEq": "!=",
    "Lt": "<",
    "LtE": "<=",
    "Gt": ">",
    "GtE": ">=",
    "Is": "is",
    "IsNot": "is not",
    "In": "in",
    "NotIn": "not in",
}


def operator(node: ast.AST) -> str:
    return OPERATORS[type(node).__name__]


class Converter:
    """One method for each class of `ast`; offsets are counted up, so that each node has its own."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, node: Any) -> Any:
        if node is None:
            return None
        result = getattr(self, type(node).__name__)(node)
        if isinstance(result, t.Node):
            result.offset = self.count
            self.count += 1
        return result

    def all(self, nodes: Any) -> List[Any]:
        return [self(node) for node in nodes]

    def keywords(self, node: Any) -> Any:
        return [(keyword.arg, self(keyword.value)) for keyword in node.keywords]

    # expressions

    def Constant(self, node: Any) -> Any:
        return t.Const(node.value)

    def Name(self, node: Any) -> Any:
        return t.Name(node.id)

    def Attribute(self, node: Any) -> Any:
        return t.Attr(self(node.value), node.attr)

    def Subscript(self, node: Any) -> Any:
        return t.Item(self(node.value), self(node.slice))

    def Index(self, node: Any) -> Any:  # 3.8
        return self(node.value)

    def ExtSlice(self, node: Any) -> Any:  # 3.8
        return t.Tuple_(self.all(node.dims))

    def Slice(self, node: Any) -> Any:
        return t.Slice(self(node.lower), self(node.upper), self(node.step))

    def Call(self, node: Any) -> Any:
        return t.Call(self(node.func), self.all(node.args), self.keywords(node))

    def UnaryOp(self, node: Any) -> Any:
        return t.Unary(operator(node.op), self(node.operand))

    def BinOp(self, node: Any) -> Any:
        return t.Binary(self(node.left), operator(node.op), self(node.right))

    def Compare(self, node: Any) -> Any:
        return t.Compare(self(node.left), [operator(op) for op in node.ops], self.all(node.comparators))

    def BoolOp(self, node: Any) -> Any:
        return t.BoolOp(operator(node.op), self.all(node.values))

    def IfExp(self, node: Any) -> Any:
        return t.IfExp(self(node.test), self(node.body), self(node.orelse))

    def NamedExpr(self, node: Any) -> Any:
        return t.NamedExpr(self(node.target), self(node.value))

    def Starred(self, node: Any) -> Any:
        return t.Starred(self(node.value))

    def Tuple(self, node: Any) -> Any:
        return t.Tuple_(self.all(node.elts))

    def List(self, node: Any) -> Any:
        return t.List_(self.all(node.elts))

    def Set(self, node: Any) -> Any:
        return t.Set_(self.all(node.elts))

    def Dict(self, node: Any) -> Any:
        return t.Dict_(list(zip(self.all(node.keys), self.all(node.values))))

    def FormattedValue(self, node: Any) -> Any:
        conversion = None if node.conversion < 0 else chr(node.conversion)
        return t.FormattedValue(self(node.value), conversion, self(node.format_spec), text=getattr(node, "str", None))

    Interpolation = FormattedValue

    def JoinedStr(self, node: Any) -> Any:
        parts = [part.value if isinstance(part, ast.Constant) else self(part) for part in node.values]
        return t.JoinedStr([part for part in parts if part != ""], "f")  # 3.12 ends some specs with an empty text

    def TemplateStr(self, node: Any) -> Any:
        result = self.JoinedStr(node)
        result.prefix = "t"
        return result

    def Yield(self, node: Any) -> Any:
        return t.Yield(self(node.value))

    def YieldFrom(self, node: Any) -> Any:
        return t.YieldFrom(self(node.value))

    def Await(self, node: Any) -> Any:
        return t.Await(self(node.value))

    def comprehension(self, node: Any) -> Any:
        return t.Generator(self(node.target), self(node.iter), self.all(node.ifs), bool(node.is_async))

    def comprehend(self, kind: str, element: Any, value: Any, node: Any) -> Any:
        return t.Comprehension(kind, self(element), self(value), self.all(node.generators))

    def ListComp(self, node: Any) -> Any:
        return self.comprehend("list", node.elt, None, node)

    def SetComp(self, node: Any) -> Any:
        return self.comprehend("set", node.elt, None, node)

    def GeneratorExp(self, node: Any) -> Any:
        return self.comprehend("generator", node.elt, None, node)

    def DictComp(self, node: Any) -> Any:
        return self.comprehend("dict", node.key, node.value, node)

    def parameters(self, args: Any) -> Any:
        result = []
        positional = [(arg, "positional_only") for arg in args.posonlyargs] + [(arg, "normal") for arg in args.args]
        defaults = [None] * (len(positional) - len(args.defaults)) + args.defaults
        for (arg, kind), default in zip(positional, defaults):
            result.append(t.Parameter(arg.arg, kind, self(default), self(arg.annotation)))
        if args.vararg:
            result.append(t.Parameter(args.vararg.arg, "vararg", None, self(args.vararg.annotation)))
        for arg, default in zip(args.kwonlyargs, args.kw_defaults):
            result.append(t.Parameter(arg.arg, "keyword_only", self(default), self(arg.annotation)))
        if args.kwarg:
            result.append(t.Parameter(args.kwarg.arg, "kwarg", None, self(args.kwarg.annotation)))
        return result

    def Lambda(self, node: Any) -> Any:
        return t.Lambda(self.parameters(node.args), self(node.body))

    # statements

    def Assign(self, node: Any) -> Any:
        return t.Assign(self.all(node.targets), self(node.value))

    def AugAssign(self, node: Any) -> Any:
        return t.AugAssign(self(node.target), operator(node.op), self(node.value))

    def AnnAssign(self, node: Any) -> Any:
        return t.AnnAssign(self(node.target), self(node.annotation), self(node.value), bool(node.simple))

    def Expr(self, node: Any) -> Any:
        return t.ExprStmt(self(node.value))

    def Return(self, node: Any) -> Any:
        return t.Return(self(node.value) or t.Const(None))

    def Raise(self, node: Any) -> Any:
        return t.Raise(self(node.exc), self(node.cause))

    def Delete(self, node: Any) -> Any:
        return t.Delete(self.all(node.targets))

    def Assert(self, node: Any) -> Any:
        return t.Assert(self(node.test), self(node.msg))

    def Pass(self, node: Any) -> Any:
        return t.Pass()

    def Break(self, node: Any) -> Any:
        return t.Break()

    def Continue(self, node: Any) -> Any:
        return t.Continue()

    def Global(self, node: Any) -> Any:
        return t.Global(node.names)

    def Nonlocal(self, node: Any) -> Any:
        return t.Nonlocal(node.names)

    def Import(self, node: Any) -> Any:
        return t.Import([(name.name, name.asname) for name in node.names], bool(getattr(node, "is_lazy", 0)))

    def ImportFrom(self, node: Any) -> Any:
        names = [(name.name, name.asname) for name in node.names]
        return t.ImportFrom(node.module or "", names, node.level, bool(getattr(node, "is_lazy", 0)))

    def If(self, node: Any) -> Any:
        return t.If(self(node.test), self.all(node.body), self.all(node.orelse))

    def While(self, node: Any) -> Any:
        return t.While(self(node.test), self.all(node.body), self.all(node.orelse))

    def For(self, node: Any) -> Any:
        is_async = type(node).__name__ == "AsyncFor"
        return t.For(self(node.target), self(node.iter), self.all(node.body), self.all(node.orelse), is_async)

    AsyncFor = For

    def Try(self, node: Any) -> Any:
        parts = [self.all(part) for part in (node.body, node.handlers, node.orelse, node.finalbody)]
        return t.Try(*parts, star=type(node).__name__ == "TryStar")  # type: ignore[arg-type]

    TryStar = Try

    def ExceptHandler(self, node: Any) -> Any:
        return t.ExceptClause(self(node.type), node.name, self.all(node.body))

    def With(self, node: Any) -> Any:
        items = [(self(item.context_expr), self(item.optional_vars)) for item in node.items]
        return t.With(items, self.all(node.body), type(node).__name__ == "AsyncWith")

    AsyncWith = With

    def type_parameters(self, node: Any) -> Any:
        kinds = {"TypeVar": "typevar", "TypeVarTuple": "typevartuple", "ParamSpec": "paramspec"}
        return [
            t.TypeParameter(
                parameter.name,
                kinds[type(parameter).__name__],
                self(getattr(parameter, "bound", None)),
                self(getattr(parameter, "default_value", None)),
            )
            for parameter in getattr(node, "type_params", [])
        ]

    def FunctionDef(self, node: Any) -> Any:
        doc, body = split_docstring(node)
        return t.FunctionDef(
            node.name,
            self.parameters(node.args),
            self.all(body),
            self.all(node.decorator_list),
            self(node.returns),
            self.type_parameters(node),
            type(node).__name__ == "AsyncFunctionDef",
            doc,
        )

    AsyncFunctionDef = FunctionDef

    def ClassDef(self, node: Any) -> Any:
        doc, body = split_docstring(node)
        decorators, parameters = self.all(node.decorator_list), self.type_parameters(node)
        bases, keywords = self.all(node.bases), self.keywords(node)
        return t.ClassDef(node.name, bases, keywords, self.all(body), decorators, parameters, doc)

    def TypeAlias(self, node: Any) -> Any:
        return t.TypeAlias(node.name.id, self.type_parameters(node), self(node.value))

    def Module(self, node: Any) -> Any:
        doc, body = split_docstring(node)
        return t.Module(self.all(body), doc)

    # match

    def Match(self, node: Any) -> Any:
        cases = [t.MatchCase(self(case.pattern), self(case.guard), self.all(case.body)) for case in node.cases]
        return t.Match(self(node.subject), cases)

    def MatchValue(self, node: Any) -> Any:
        return t.MatchValue(self(node.value))

    def MatchSingleton(self, node: Any) -> Any:
        return t.MatchValue(t.Const(node.value))

    def MatchSequence(self, node: Any) -> Any:
        return t.MatchSequence(self.all(node.patterns))

    def MatchStar(self, node: Any) -> Any:
        return t.MatchStar(node.name)

    def MatchMapping(self, node: Any) -> Any:
        return t.MatchMapping(self.all(node.keys), self.all(node.patterns), node.rest)

    def MatchClass(self, node: Any) -> Any:
        keywords = list(zip(node.kwd_attrs, self.all(node.kwd_patterns)))
        return t.MatchClass(self(node.cls), self.all(node.patterns), keywords)

    def MatchAs(self, node: Any) -> Any:
        return t.MatchAs(self(node.pattern), node.name)

    def MatchOr(self, node: Any) -> Any:
        return t.MatchOr(self.all(node.patterns))


def split_docstring(node: Any) -> Any:
    first = node.body[0] if node.body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        return first.value.value, node.body[1:]
    return None, node.body


def convert(source: str) -> t.Module:
    return Converter()(ast.parse(source))  # type: ignore[no-any-return]


class Normaliser(ast.NodeTransformer):
    """Removes what the tree cannot hold because bytecode cannot: `u""`, `return` without a value, x[None:],
    which names share a `global`, and since 3.11 the difference between f"{x!s}" and "%s" % (x,)."""

    def __init__(self, clean: Any) -> None:
        self.clean = clean

    def visit_Constant(self, node: Any) -> Any:
        node.kind = None
        return node

    def visit_Return(self, node: Any) -> Any:
        if node.value is None:
            node.value = ast.Constant(value=None, kind=None)
        return self.generic_visit(node)

    def visit_Global(self, node: Any) -> Any:
        return [type(node)([name]) for name in node.names]

    visit_Nonlocal = visit_Global

    def visit_JoinedStr(self, node: Any) -> Any:
        self.generic_visit(node)
        fields = [part for part in node.values if isinstance(part, ast.FormattedValue)]
        directives = [percent_directive(field) for field in fields]
        if sys.version_info < (3, 11) or None in directives or not any(field.conversion == 115 for field in fields):
            return node
        texts = iter(directives)
        text = "".join(
            part.value.replace("%", "%%") if isinstance(part, ast.Constant) else str(next(texts))
            for part in node.values
        )
        values = ast.Tuple([field.value for field in fields], ast.Load())
        return ast.BinOp(ast.Constant(text, None), ast.Mod(), values)

    def visit_Slice(self, node: Any) -> Any:
        for field in ("lower", "upper", "step"):
            part = getattr(node, field)
            if isinstance(part, ast.Constant) and part.value is None:
                setattr(node, field, None)
        return self.generic_visit(node)

    def visit_body(self, node: Any) -> Any:
        doc, _ = split_docstring(node)
        if doc is not None:
            node.body[0].value.value = self.clean(doc)
        return self.generic_visit(node)

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = visit_Module = visit_body


def percent_directive(field: Any) -> Optional[str]:
    """How a field of an f-string would be written in a % format."""
    letter = chr(max(field.conversion, 0))
    spec = field.format_spec
    if letter not in "sra" or (spec is not None and not (len(spec.values) == 1 and isinstance(spec.values[0], ast.Constant))):
        return None
    match = re.fullmatch(r"(>(?=[1-9]))?([1-9]\d*)?(\.\d+)?", spec.values[0].value if spec else "")
    if match is None:
        return None
    right, width, precision = match.groups()
    return "%" + ("-" if width and not right else "") + (width or "") + (precision or "") + letter


def canonical(source: str, clean: Any = lambda doc: doc) -> str:
    """A dump that is equal for two texts that mean the same tree."""
    return ast.dump(Normaliser(clean).visit(ast.parse(source)))


def first_difference(one: str, other: str) -> Optional[str]:
    if one == other:
        return None
    place = next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
    return f"...{one[max(0, place - 200) : place + 100]}\nagainst\n...{other[max(0, place - 200) : place + 100]}"
