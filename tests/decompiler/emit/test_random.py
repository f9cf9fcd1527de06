"""Random trees: the text parses back to the tree it was printed from, on lines of any width."""

from __future__ import annotations

import ast
import random
import sys
from typing import Any, Callable, List, Optional

import pytest

from depyf.decompiler import tree as t
from depyf.decompiler.emit import emit

from .from_ast import OPERATORS, Converter

BINARY = ["+", "-", "*", "@", "/", "//", "%", "**", "<<", ">>", "|", "^", "&"]
COMPARISONS = ["==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in"]
CONSTANTS = [None, True, ..., 0, 12, 3.5, 2j, "", "text", 'quo"te', "it's", "line\n", "\\d", b"bytes", "word " * 12]


class Forest:
    """Makes expressions that may stand anywhere an expression may."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.leaves: List[Callable[[], t.Expr]] = [
            self.name,
            self.name,
            lambda: t.Const(self.random.choice(CONSTANTS)),
        ]
        self.branches: List[Callable[[int], t.Expr]] = [
            lambda d: t.Attr(self.tree(d), "attribute"),
            lambda d: t.Item(self.tree(d), self.key(d)),
            self.call,
            lambda d: t.Unary(self.random.choice(["-", "+", "~", "not"]), self.tree(d)),
            lambda d: t.Binary(self.tree(d), self.random.choice(BINARY), self.tree(d)),
            lambda d: t.Binary(self.tree(d), self.random.choice(BINARY), self.tree(d)),
            self.compare,
            lambda d: t.BoolOp(self.random.choice(["and", "or"]), self.trees(d, 2)),
            lambda d: t.IfExp(self.tree(d), self.tree(d), self.tree(d)),
            lambda d: t.NamedExpr(self.name(), self.tree(d)),
            lambda d: t.Tuple_(self.items(d)),
            lambda d: t.List_(self.items(d)),
            lambda d: t.Set_(self.items(d) or [self.name()]),
            lambda d: t.Dict_([(self.maybe(d), self.tree(d)) for _ in range(self.random.randrange(3))]),
            lambda d: t.Yield(self.maybe(d)),
            lambda d: t.YieldFrom(self.tree(d)),
            lambda d: t.Await(self.tree(d)),
            self.comprehension,
            lambda d: t.Lambda(self.parameters(d), self.tree(d)),
            self.joined,
        ]

    def name(self) -> t.Name:
        return t.Name(self.random.choice(["a", "b", "some_name", "match", "lambda_"]))

    def tree(self, depth: int) -> t.Expr:
        if depth <= 0 or self.random.random() < 0.15:
            return self.random.choice(self.leaves)()
        return self.random.choice(self.branches)(depth - 1)

    def trees(self, depth: int, least: int = 0) -> List[t.Expr]:
        return [self.tree(depth) for _ in range(least + self.random.randrange(3))]

    def maybe(self, depth: int) -> Optional[t.Expr]:
        return self.tree(depth) if self.random.random() < 0.7 else None

    def items(self, depth: int) -> List[t.Expr]:
        return [t.Starred(item) if self.random.random() < 0.15 else item for item in self.trees(depth)]

    def key(self, depth: int) -> t.Expr:
        def part() -> t.Expr:
            if self.random.random() < 0.4:
                parts = [self.maybe(depth) for _ in range(3)]
                return t.Slice(*[None if isinstance(p, t.Const) and p.value is None else p for p in parts])
            return self.tree(depth)

        return t.Tuple_([part() for _ in range(1 + self.random.randrange(3))]) if self.random.random() < 0.3 else part()

    def call(self, depth: int) -> t.Expr:
        keywords = [(self.random.choice(["key", None]), self.tree(depth)) for _ in range(self.random.randrange(2))]
        return t.Call(self.tree(depth), self.items(depth), keywords)

    def compare(self, depth: int) -> t.Expr:
        rest = self.trees(depth, 1)
        return t.Compare(self.tree(depth), [self.random.choice(COMPARISONS) for _ in rest], rest)

    def comprehension(self, depth: int) -> t.Expr:
        kind = self.random.choice(["list", "set", "dict", "generator"])
        generators = [
            t.Generator(self.target(), self.tree(depth), self.trees(depth)[:1], self.random.random() < 0.1)
            for _ in range(1 + self.random.randrange(2))
        ]
        value = self.tree(depth) if kind == "dict" else None
        return t.Comprehension(kind, self.tree(depth), value, generators)

    def target(self) -> t.Expr:
        return t.Tuple_([self.name(), self.name()]) if self.random.random() < 0.3 else self.name()

    def parameters(self, depth: int) -> List[t.Parameter]:
        kinds = ["positional_only", "normal", "vararg", "keyword_only", "kwarg"]
        chosen = [kind for kind in kinds if self.random.random() < 0.3]
        default = self.tree(depth) if "vararg" not in chosen else None
        return [
            t.Parameter("pnvkw"[kinds.index(kind)], kind, default if "only" in kind or kind == "normal" else None)
            for kind in chosen
        ]

    def joined(self, depth: int) -> t.Expr:
        parts: List[Any] = []
        for _ in range(1 + self.random.randrange(3)):
            if self.random.random() < 0.5 and not (parts and isinstance(parts[-1], str)):
                parts.append(self.random.choice(["text", "{", "}", '"', "'", "words " * 6, "\n"]))
            spec = self.random.choice([None, None, t.JoinedStr([">10"]), t.JoinedStr([t.FormattedValue(self.name(), None, None)])])
            parts.append(t.FormattedValue(self.tree(depth), self.random.choice([None, "r", "a"]), spec))
        return t.JoinedStr(parts)


def show(node: Any) -> str:
    """A tree as text, without its offsets."""
    if isinstance(node, (list, tuple)):
        return "[" + ", ".join(map(show, node)) + "]"
    if not type(node).__module__.startswith("depyf"):
        return repr(node)
    names = [name for kind in type(node).__mro__ for name in getattr(kind, "__slots__", ()) if name != "offset"]
    return type(node).__name__ + show([getattr(node, name) for name in names if name != "text"])


def read_back(text: str) -> str:
    return show(Converter()(ast.parse(text)).body[0])


@pytest.mark.parametrize("seed", range(12))
def test_text_parses_to_the_tree(seed: int) -> None:
    forest = Forest(seed)
    for number in range(40):
        expression = forest.tree(2 + number % 4)
        statement: Any = [
            lambda e: t.Return(e),
            lambda e: t.Assign([t.Name("x"), t.Tuple_([t.Name("y"), t.Name("z")])], e),
            lambda e: t.If(e, [t.Assert(e, e)], [t.ExprStmt(t.Call(e, [], []))]),
            lambda e: t.For(t.Name("x"), e, [t.AugAssign(t.Name("y"), "+", e)], []),
            lambda e: t.With([(e, None), (e, t.Name("x"))], [t.Raise(e, e)]),
            lambda e: t.With([(e, None)], [t.Delete([t.Item(e, e)])]),
            lambda e: t.FunctionDef("f", [t.Parameter("p", "normal", e)], [t.While(e, [t.Pass()], [])]),
        ][number % 7](expression)
        flat = emit(statement, width=10**9).text
        # where no quotes suit an f-string before 3.12 it becomes a format, see test_strings
        if sys.version_info >= (3, 12) or not ("format(" in flat or '" % (' in flat or "' % (" in flat):
            assert read_back(flat) == show(statement)
        for width in (100, 40, 12):
            assert read_back(emit(statement, width=width).text) == read_back(flat)


def test_operators_are_all_tried() -> None:
    assert {*BINARY, *COMPARISONS, "not", "~", "and", "or"} == set(OPERATORS.values())
