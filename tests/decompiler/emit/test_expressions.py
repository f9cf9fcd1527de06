"""Parentheses where Python's grammar needs them, and nowhere else; each text is what a person would write."""

from __future__ import annotations

import ast
import sys
from typing import Any, List, Optional, Tuple

import pytest

from depyf.decompiler import tree as t
from depyf.decompiler.emit import emit
from depyf.decompiler.lifting.values import Value
from depyf.errors import DecompilationError

from .from_ast import canonical, convert, first_difference


def name(text: str) -> t.Name:
    return t.Name(text)


a, b, c, x, y = map(name, "abcxy")

# texts that come back to the letter
SAME = """
(a + b) * c
a + b * c
a - (b - c)
a - b - c
(a ** b) ** c
a ** b ** c
(-a) ** b
-a ** b
a ** -b
-(a + b)
not a == b
(not a) == b
not (a and b)
a and (b or c)
a or b and c
(a and b) and c
(a if b else c) if x else y
a if b else c if x else y
(lambda: a) if b else c
a if b else lambda: c
lambda: (yield)
lambda x, /, y=1, *a, b, c=2, **d: x
lambda *, x: x
lambda: lambda: a
(lambda: a)()
a < b < c
(a < b) < c
a < (b < c)
a is not b
a not in b
a | b ^ c & x << y
(a | b) & c
(await a).b
await a.b()
-await a
await a ** b
await (await a)
(yield).b
a[1, 2]
a[1:2, ..., ::3]
a[1:2,]
a[(1,)]
a[()]
a[:]
a[b:]
a[b + 1:c - 1:-1]
a[(b := 1)]
a[lambda: b]
(1).real
(-1).real
1.0.real
1j.imag
"".join
f(x for x in y)
f((x for x in y), 1)
f(*a, **b)
f(*a, b, *c, k=1, **d)
f((yield))
f((a, b))
f((a := 1))
f(a)(b)[c].x
[*a, *b]
{*a, b}
{**a, "b": c}
{"a": lambda: b}
(*a, b)
[x for x, y in a if b if c]
[(x, y) for x in a for y in b]
{x: y async for x, y in a}
{x for (x,) in a}
[x for x in (a if b else c) if (lambda: b)]
[x for x in a or b if not c]
((yield a), (yield))
[(a := 1), b]
a if (b := c) else x
~-+a
not not a
a @ b // c % x
{}
()
"""

STATEMENTS = """
return a, b
return (a,)
return (self.x, self.y) == (other.x, other.y)
return *a, b
return (yield)
x = yield
x = yield a, b
x = yield from a
x += yield
x = (a := 1)
a = b = c
a, b = b, a
(a,) = b
[a, b] = c
a, *b = c
(*a,) = b
x: int = 1
(x): int
a.b: int = c
x[0]: (int, str) = 1
x **= a or b
(a := 1)
(a, b)
await a
for x in (a, b):
    pass
for x, (y, z) in a:
    pass
while a := b():
    pass
if a := b:
    pass
if (a := b) > 1:
    pass
assert (a, b), (c, x)
assert a, b
raise a from b
raise
del a, b.c, x[1]
del (a, b)
import a.b as c, x
from . import a
from ..a.b import c as x, y
from a import *
global a, b
with a as b, c as (x, y), d:
    pass
with ((a, b)):
    pass
with (a, b) as c:
    pass
with (yield a):
    pass
try:
    pass
except (A, B) as e:
    pass
except A:
    pass
except:
    pass
else:
    pass
finally:
    pass
async def f(a, /, b: int = 1, *, c=2, **k) -> None:
    async for x in y:
        await x
    async with a as b:
        pass
    return [x async for x in y]
def f(*a, b: int, **c):
    return a
def f(a, b, /):
    nonlocal_ = 1
@a
@b.c(1)
class C(a, *b, metaclass=c, **d):
    pass
class C:
    def f(self):
        pass

    def g(self):
        pass
"""

SINCE_3_9 = """
@lambda f: f
def f():
    pass
@a[0].b
def f():
    pass
"""

SINCE_3_10 = """
match a:
    case 1 | -1 | "x" | None | True | b.c:
        pass
    case [x, *rest] if rest:
        pass
    case [1 | 2 as x, *_, [y]]:
        pass
    case {"a": 1, b.c: {"d": x}, **rest}:
        pass
    case {}:
        pass
    case C(1, x, k=(y as z) | _):
        pass
    case (x as y) | 3:
        pass
    case _:
        pass
match (a, b):
    case []:
        pass
"""

SINCE_3_11 = """
a[*b]
a[*b, c]
try:
    pass
except* A as e:
    pass
def f(*a: *b):
    pass
"""

SINCE_3_12 = """
type A[T: (int, str), *Ts, **P] = a[T]
def f[T: int](x: T) -> T:
    pass
class C[T](a):
    pass
"""

SINCE_3_13 = """
type A[T = int, *Ts = *tuple[int], **P = [int]] = a
"""


def statements(text: str) -> List[str]:
    """Each top-level statement's text."""
    lines = text.split("\n")
    result: List[str] = []
    for node in ast.parse(text).body:
        first = min([node.lineno] + [decorator.lineno for decorator in getattr(node, "decorator_list", [])])
        result.append("\n".join(lines[first - 1 : node.end_lineno]))
    return result


def cases() -> List[str]:
    blocks: List[Tuple[Tuple[int, int], str]] = [
        ((3, 8), SAME),
        ((3, 8), STATEMENTS),
        ((3, 9), SINCE_3_9),
        ((3, 10), SINCE_3_10),
        ((3, 11), SINCE_3_11),
        ((3, 12), SINCE_3_12),
        ((3, 13), SINCE_3_13),
    ]
    return [case for since, block in blocks if sys.version_info >= since for case in statements(block)]


@pytest.mark.parametrize("source", cases())
def test_text_comes_back_to_the_letter(source: str) -> None:
    assert emit(convert(source)).text == source + "\n"


@pytest.mark.parametrize(
    "node, expected",
    [
        (t.Binary(t.Const(-1), "**", x), "(-1) ** x"),
        (t.Binary(x, "**", t.Const(-1)), "x ** -1"),
        (t.Binary(t.Const(-1), "*", x), "-1 * x"),
        (t.Binary(x, "-", t.Const(-1)), "x - -1"),
        (t.Unary("-", t.Const(-1)), "--1"),
        (t.Attr(t.Const(-1), "real"), "(-1).real"),
        (t.Attr(t.Const(-1.5), "real"), "(-1.5).real"),
        (t.Attr(t.Const(5), "real"), "(5).real"),
        (t.Attr(t.Const(True), "real"), "True.real"),
        (t.Attr(t.Const((1, 2)), "count"), "(1, 2).count"),
        (t.Binary(t.Const(1 - 2j), "**", x), "(1.0-2j) ** x"),
        (t.Compare(x, ["in"], [t.Const((1, 2))]), "x in (1, 2)"),
        (t.Call(x, [], [("a-b", y), ("class", y), ("ok", y)]), 'x(**{"a-b": y}, **{"class": y}, ok=y)'),
        (t.Item(x, t.Slice(t.Const(None), y, t.Const(None))), "x[:y]"),
        (t.Slice(None, y, None), "slice(None, y, None)"),
        (t.Item(x, t.Const(slice(None, 2))), "x[:2]"),
        (t.Item(x, t.Const((slice(1, None), 3))), "x[1:, 3]"),
        (t.Item(x, t.Const((1, 2))), "x[1, 2]"),
        (t.Item(x, t.Const((1,))), "x[(1,)]"),
        (t.Item(x, t.Const(())), "x[()]"),
        (t.Item(x, t.Const(-1)), "x[-1]"),
        (t.Set_([]), "{*()}"),
        (t.Set_([t.Starred(t.Tuple_([]))]), "{*()}"),
        (t.Starred(t.BoolOp("or", [x, y])), "*(x or y)"),
    ],
)
def test_trees_that_no_parser_makes(node: Any, expected: str) -> None:
    assert emit(t.ExprStmt(node)).text == expected + "\n"
    if not isinstance(node, t.Starred):
        ast.parse(expected)


@pytest.mark.parametrize("version, expected", [((3, 10), "a[(*b, c)]\n"), ((3, 11), "a[*b, c]\n")])
def test_star_in_a_subscript(version: Tuple[int, int], expected: str) -> None:
    node = t.Item(a, t.Tuple_([t.Starred(b), c]))
    assert emit(t.ExprStmt(node), version=version).text == expected


def decided(value: t.Expr, temporary: Optional[str] = None) -> Value:
    result = Value(value, 7)
    result.name = temporary
    return result


def test_decided_values_are_seen_through() -> None:
    total = decided(decided(t.Binary(a, "+", b)))
    node = t.Assign(
        [decided(t.Tuple_([x, y]))],
        t.Call(
            decided(t.Attr(decided(t.Const(1)), "real")),
            [t.Binary(total, "*", total), t.Item(a, decided(t.Tuple_([decided(b), t.Slice(decided(t.Const(None)), c, None)])))],
            [("k", decided(c, "temporary"))],
        ),
    )
    assert emit(node).text == "x, y = (1).real((a + b) * (a + b), a[b, :c], k=temporary)\n"
    only = decided(t.Comprehension("generator", x, None, [t.Generator(x, decided(y), [], False)]))
    assert emit(t.Return(t.Call(a, [only], []))).text == "return a(x for x in y)\n"


def test_an_undecided_value_is_refused() -> None:
    with pytest.raises(DecompilationError, match=r"Value has no form in source \(at offset 3\)"):
        emit(t.Return(Value(None, 3)))
    with pytest.raises(DecompilationError, match="Stmt has no form in source"):
        emit([t.Stmt()])


def test_empty_bodies_and_modules() -> None:
    text = emit(t.If(a, [], [t.Pass()])).text
    assert text == "if a:\n    pass\nelse:\n    pass\n"
    assert emit(t.Module([])).text == "\n"
    assert emit([]).text == "pass\n"
    assert emit(t.Module([], "Only this.")).text == '"""Only this."""\n'


def test_illegal_names_are_written_as_legal_ones_throughout() -> None:
    parameters = [t.Parameter(".0", "normal"), t.Parameter("class", "normal")]
    body: List[t.Stmt] = [
        t.Assign([name("a.b")], t.Attr(name(".0"), "<lambda>")),
        t.Return(t.List_([name("class"), name("a.b"), name("_0"), name("ﬁ"), name("match")])),
    ]
    emitted = emit(t.FunctionDef("<lambda>", parameters, body))
    assert emitted.text == (
        "def _lambda_(_0_1, class_):\n    a_b = _0_1._lambda_\n    return [class_, a_b, _0, fi, match]\n"
    )
    assert emitted.renamed == {"_lambda_": "<lambda>", "_0_1": ".0", "class_": "class", "a_b": "a.b", "fi": "ﬁ"}


def test_blank_lines() -> None:
    source = (
        '"""Doc."""\n\nimport a\nimport b\n\nx = 1\n\n\ndef f():\n    """Doc."""\n\n    def g():\n        pass\n\n'
        "    return g\n\n\nclass C:\n    \"\"\"Doc.\"\"\"\n\n    y = 1\n\n    def h(self):\n        pass\n\n    z = 1\n\n\n"
        "if x:\n    def i():\n        pass\nelse:\n    pass\n"
    )
    assert emit(convert(source)).text == source


def test_indentation() -> None:
    assert emit(convert("if a:\n    if b: c()"), indentation=2).text == "if a:\n  if b:\n    c()\n"


def test_round_trip_of_all_cases_on_narrow_lines() -> None:
    for source in cases():
        for width in (1, 10, 20, 40):
            text = emit(convert(source), width=width).text
            assert first_difference(canonical(source), canonical(text)) is None
