"""Long and deep trees: no recursion, and twice the tree takes about twice the steps."""

from __future__ import annotations

import ast
import inspect
import sys
from typing import Any, Callable, Dict, List

import pytest

from depyf.decompiler import tree as t
from depyf.decompiler.emit import emit

a, b = t.Name("a", 2), t.Name("b", 4)

SPINES: Dict[str, Callable[[t.Expr], t.Expr]] = {
    "left operand": lambda inner: t.Binary(inner, "+", b),
    "right operand": lambda inner: t.Binary(b, "**", inner),
    "attribute": lambda inner: t.Attr(inner, "attribute"),
    "method calls": lambda inner: t.Call(t.Attr(inner, "method"), [t.Name("argument")], []),
    "subscript": lambda inner: t.Item(inner, t.Const("some key")),
    "else": lambda inner: t.IfExp(a, b, inner),
    "not": lambda inner: t.Unary("not", inner),
    "lambda": lambda inner: t.Lambda([], inner),
    "await": lambda inner: t.Await(inner),
    "list": lambda inner: t.List_([inner]),
    "tuple": lambda inner: t.Tuple_([inner, b]),
    "nested call": lambda inner: t.Call(a, [inner], []),
    "comparison": lambda inner: t.Compare(inner, ["<"], [b]),
    "and in or": lambda inner: t.BoolOp("or", [a, t.BoolOp("and", [inner, b])]),
    "comprehension": lambda inner: t.Comprehension("list", a, None, [t.Generator(a, inner, [], False)]),
    "dict": lambda inner: t.Dict_([(a, inner)]),
    "starred": lambda inner: t.List_([t.Starred(inner)]),
}


def spine(kind: str, length: int) -> t.Expr:
    node: t.Expr = a
    for _ in range(length):
        node = SPINES[kind](node)
    return node


@pytest.mark.parametrize("kind", SPINES)
def test_thousands_of_levels_without_recursion(kind: str) -> None:
    limit = sys.getrecursionlimit()
    depth = len(inspect.stack())
    sys.setrecursionlimit(depth + 60)
    try:
        text = emit(t.Return(spine(kind, 3000)), width=10**9).text
        wrapped = emit(t.Return(spine(kind, 300))).text
    finally:
        sys.setrecursionlimit(limit)
    assert text.count("\n") == 1
    assert len(text) > 3000
    assert wrapped.startswith("return")


@pytest.mark.parametrize("kind", SPINES)
def test_what_the_parser_can_take_parses(kind: str) -> None:
    text = emit(t.Return(spine(kind, 40))).text
    assert ast.dump(ast.parse(text)) == ast.dump(ast.parse(emit(t.Return(spine(kind, 40)), width=10**9).text))


def elif_chain(length: int) -> t.Stmt:
    node = t.If(a, [t.Pass()], [])
    for _ in range(length):
        node = t.If(b, [t.Pass()], [node])
    return node


def nested(make: Callable[[List[t.Stmt]], t.Stmt], depth: int) -> t.Stmt:
    node: t.Stmt = t.Pass()
    for _ in range(depth):
        node = make([node])
    return node


STATEMENTS: Dict[str, Callable[[int], Any]] = {
    "elif": elif_chain,
    "ifs in a row": lambda n: [t.If(a, [t.Pass()], []) for _ in range(n)],
    "straight lines": lambda n: [t.Assign([a], t.Call(b, [a], [])) for _ in range(n)],
    "wide call": lambda n: t.Return(t.Call(a, [b] * n, [])),
    "long condition": lambda n: t.If(t.BoolOp("and", [t.Compare(a, ["<"], [b])] * n), [], []),
    "table": lambda n: t.Return(t.Const(tuple(range(n)))),
    "long string": lambda n: t.Return(t.Const("words " * n)),
    "methods in a row": lambda n: t.Return(spine("method calls", n)),
}


class Steps:
    """Counts the events of Python's tracer: a measure of work that a busy machine does not change."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, frame: Any, event: str, argument: Any) -> Any:
        self.count += 1
        return self


def steps(work: Callable[[], Any]) -> int:
    counter = Steps()
    before = sys.gettrace()
    sys.settrace(counter)
    try:
        work()
    finally:
        sys.settrace(before)
    return counter.count


@pytest.mark.parametrize("kind", STATEMENTS)
def test_twice_the_tree_is_twice_the_work(kind: str) -> None:
    small, large = STATEMENTS[kind](400), STATEMENTS[kind](800)
    assert steps(lambda: emit(large)) <= 2.1 * steps(lambda: emit(small))


@pytest.mark.parametrize(
    "make",
    [
        lambda body: t.While(a, body, []),
        lambda body: t.If(a, body, [t.Pass()]),
        lambda body: t.FunctionDef("f", [], body),
        lambda body: t.ClassDef("C", [], [], body),
        lambda body: t.Try(body, [t.ExceptClause(None, None, [t.Pass()])], [], body),
        lambda body: t.With([(a, b)], body),
    ],
)
def test_nested_statements(make: Callable[[List[t.Stmt]], t.Stmt]) -> None:
    text = emit(nested(make, 8)).text
    ast.parse(text)
    assert max(len(line) - len(line.lstrip()) for line in text.splitlines()) == 32


def test_deeply_nested_statements_without_recursion() -> None:
    limit = sys.getrecursionlimit()
    depth = len(inspect.stack())
    sys.setrecursionlimit(depth + 60)
    try:
        text = emit(nested(lambda body: t.FunctionDef("f", [], body), 99), indentation=1).text
    finally:
        sys.setrecursionlimit(limit)
    assert text.splitlines()[-1] == " " * 99 + "pass"
