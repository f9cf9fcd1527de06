"""f-strings, t-strings and docstrings: the same tree in every version, with quotes a person would choose."""

from __future__ import annotations

import ast
import sys
import types
from typing import Any, List, Union

import pytest

from depyf.decompiler import tree as t
from depyf.decompiler.emit import emit
from depyf.decompiler.emit.quoting import docstring

from .from_ast import canonical, convert, first_difference

SAME = [
    'f"{a}"',
    'f"a{{b}}{c}"',
    'f"{a!r:>{b}} and {c!s}"',
    'f"{a:%Y-%m-%d}"',
    'f"{a:{b}{c}}"',
    "f\"{a['k']}\"",
    "f'\"{a}\"'",
    'f"it\'s {a}"',
    'f"{ {1, 2} }"',
    'f"{(lambda: a)}"',
    'f"{a if b else c}"',
    'f"{(a := 1)}"',
    'f"{a, b}"',
    'f"{(yield)}"',
    'f"{a != b}"',
    'f"{a[1:2]}"',
    'f"tab\\t{a}\\n"',
    "f\"{f'{a}'}\"",
    "f\"{f'{a}' + b}\"",
    'f"{a}" "plain {b}"',
    'f"{x[\'a\'][\'b\']}{y[\'it\']}"',
    "f'''{x['a']} and {y[\"it's\"]}'''",
    "f'''{a}\nsecond line {b}'''",
    "f\"\"\"{x['a'] + f'''{y[\"b\"]}'''}\"\"\"",
    "f'{b\"bytes\"}'",
    'f"{a:\\x7b\\x7d}"',
    "f\"{a:'}\"",
    'f"{a:\\"}"',
    'f"{[x for x in y if x]}"',
    'f"{a}" f\'{b["k"]}\'',
    'f""',
    'f"\\N{BULLET}{a}"',
    "f\"{'a' 'b'}\"",
    "f\"{{'a': 1}}\"",
    "f\"{ {'a': 1}['a'] }\"",
]


@pytest.mark.parametrize("source", SAME)
@pytest.mark.parametrize("width", [100, 10])
def test_f_string_comes_back(source: str, width: int) -> None:
    text = emit(convert(source), width=width).text
    assert first_difference(canonical(source), canonical(text)) is None


@pytest.mark.parametrize(
    "source, expected",
    [
        ("f'{a!r}'", 'f"{a!r}"'),
        ('f\'{a["k"]}\'', "f\"{a['k']}\""),
        ("f'\"{a}\" {b}'", "f'\"{a}\" {b}'"),
        ("f'{a:>10}'", 'f"{a:>10}"'),
        ("f'{{{a}}}'", 'f"{{{a}}}"'),
    ],
)
def test_quotes(source: str, expected: str) -> None:
    assert emit(convert(source)).text == expected + "\n"


def field(value: t.Expr, conversion: Any = None, spec: Any = None) -> t.FormattedValue:
    return t.FormattedValue(value, conversion, spec)


NEWLINE = t.Call(t.Attr(t.Const("\n"), "join"), [t.Name("a")], [])
APOSTROPHE = t.Item(t.Name("a"), t.Const("it's"))
QUOTATION = t.Item(t.Name("a"), t.Const('say "x"'))
BOTH = t.Item(t.Name("a"), t.Const("both ' and \""))

Part = Union[str, t.FormattedValue]
HARD: List[List[Part]] = [
    [field(NEWLINE)],
    ["%d ", field(NEWLINE, "s"), "{}", field(BOTH, "r")],
    [field(APOSTROPHE), field(QUOTATION)],
    [field(BOTH, "r", t.Const(">80"))],
    [field(BOTH), field(QUOTATION), field(APOSTROPHE, "a")],
    [field(BOTH, None, t.JoinedStr([field(t.Name("width"))]))],
    [field(t.JoinedStr([field(t.JoinedStr([field(t.JoinedStr(["\t", field(BOTH)]))]))]))],
    [field(t.JoinedStr([field(APOSTROPHE), field(QUOTATION)]))],
    [field(t.Const("text\n" * 30))],
    [field(t.Const(b"it's"), "r"), field(t.Const(b"\x00"))],
]


class Keys(dict):  # type: ignore[type-arg]
    def __missing__(self, key: str) -> str:
        return f"<{key}>"

    def __iter__(self) -> Any:
        return iter(["one", "two"])


def value_of(parts: List[Part], names: Any) -> str:
    """What an f-string must evaluate to, computed from its parts."""
    result = ""
    for part in parts:
        if isinstance(part, str):
            result += part
            continue
        if isinstance(part.value, t.JoinedStr):
            value: Any = value_of(part.value.parts, names)
        else:
            value = eval(emit(t.ExprStmt(part.value)).text, dict(names))
        value = {"s": str, "r": repr, "a": ascii, None: lambda value: value}[part.conversion](value)
        spec = ""
        if isinstance(part.spec, t.Const):
            spec = part.spec.value
        elif isinstance(part.spec, t.JoinedStr):
            spec = value_of(part.spec.parts, names)
        result += format(value, spec)
    return result


@pytest.mark.parametrize("parts", HARD, ids=range(len(HARD)))
@pytest.mark.parametrize("version", [(3, 8), (3, 11), (3, 14)])
def test_what_quotes_cannot_hold_means_the_same(parts: List[Part], version: Any) -> None:
    """Written for the grammar of an old version, it is right on every later one."""
    if version > sys.version_info[:2]:
        pytest.skip("needs a newer grammar")
    names = {"a": Keys(), "width": 30}
    emitted = emit(t.ExprStmt(t.JoinedStr(parts)), version=version)
    assert not emitted.objects
    assert eval(emitted.text, dict(names)) == value_of(parts, names)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="% is compiled like an f-string since 3.11")
def test_percent_compiles_to_the_same_as_the_f_string() -> None:
    cases = [
        (["100% ", field(t.Name("a"), "s"), " ", field(t.Name("b"), "r")], '"100%% %s %r" % (a, b)'),
        ([field(t.Name("a"), "s")], '"%s" % (a,)'),
        ([field(t.Name("a"), "s", t.Const(">5")), "|", field(t.Name("b"), "r", t.Const("5.2"))], '"%5s|%-5.2r" % (a, b)'),
        ([field(t.Name("a"), "s"), field(t.Name("b"), "a", t.Const(".3"))], '"%s%.3a" % (a, b)'),
        ([field(t.Name("a"), "s", t.Const("^5"))], 'f"{a!s:^5}"'),
        ([field(t.Name("a"), "s", t.Const("05"))], 'f"{a!s:05}"'),
        ([field(t.Name("a"), "s", t.Const(">"))], 'f"{a!s:>}"'),
        ([field(t.Name("a"), "s"), field(t.Name("b"))], 'f"{a!s}{b}"'),
        ([field(t.Name("a"), "r")], 'f"{a!r}"'),
        ([field(t.Const(3), "s"), field(t.Name("a"), "r")], '"%s%r" % (3, a)'),
        # up to 3.13 a tuple of constants is one constant before the compiler looks at the format
        ([field(t.Const(3), "s")], 'f"{3!s}"' if sys.version_info < (3, 14) else '"%s" % (3,)'),
    ]
    for parts, expected in cases:
        node = t.JoinedStr(parts)  # type: ignore[arg-type]
        assert emit(t.Return(node)).text == f"return {expected}\n"
        assert emit(t.Return(t.Binary(node, "**", t.Name("b")))).text == (
            f"return ({expected}) ** b\n" if "%" in expected else f"return {expected} ** b\n"
        )
        as_f_string = emit(t.Return(node), version=(3, 10)).text
        assert as_f_string.startswith('return f"')
        codes = [function_code("def f(a, b):\n    " + text) for text in (f"return {expected}", as_f_string)]
        assert codes[0].co_code == codes[1].co_code
        assert codes[0].co_consts == codes[1].co_consts


def function_code(text: str) -> types.CodeType:
    module = compile(text, "<test>", "exec")
    return next(const for const in module.co_consts if isinstance(const, types.CodeType))


def test_what_needs_a_backslash_in_3_11() -> None:
    node = t.JoinedStr(["100% ", field(NEWLINE, "r")])
    assert emit(t.Return(node), version=(3, 11)).text == 'return ("100%% %r" % ("\\n".join(a),))\n'


def test_field_by_itself() -> None:
    assert emit(t.Return(field(t.Name("a"), "r"))).text == 'return f"{a!r}"\n'
    assert emit(t.Return(field(t.Name("a"), None, t.Name("b")))).text == 'return f"{a:{b}}"\n'


@pytest.mark.skipif(sys.version_info < (3, 14), reason="t-strings came with 3.14")
@pytest.mark.parametrize(
    "source",
    [
        't"{a}"',
        't"{a +  b!r:>{w}} and {  c } { {1:2} } {x[\'a\']}"',
        't"{(a)}{ (a, b) }{a , b}"',
        't"{(lambda : 1)}"',
        "t\"{f'{a}'}{t'{b}'}\"",
        't"{\na\n+b\n}"',
        't"{a[\'b\']}{c["d"]}"',
    ],
)
def test_t_string_comes_back_to_the_letter(source: str) -> None:
    assert emit(convert(source)).text == source + "\n"
    assert canonical(source) == canonical(emit(convert(source)).text)


@pytest.mark.skipif(sys.version_info < (3, 14), reason="t-strings came with 3.14")
@pytest.mark.parametrize("text", ["b", "a +", "a) + (b", "", "a!r", "a: b", "lambda: a"])
def test_t_string_text_that_is_not_the_expression(text: str) -> None:
    node = t.JoinedStr([t.FormattedValue(t.Name("a"), None, None, text=text)], "t")
    assert emit(t.ExprStmt(node)).text == 't"{a}"\n'


DOCUMENTATION = [
    "One line.",
    "",
    "First.\n\nSecond paragraph.\n    indented\nlast",
    "First.\n\nSecond.\n",
    "Ends with a quote\"",
    '"Starts with one',
    'Has """ inside, and \\ too',
    "Has ''' and \"\"\" inside.\nNext",
    "A regex: \\d+\\\nnext",
    "Ends with a backslash\\",
    "Control \x00 and \r characters \x0c\nNext",
    "Trailing space \n\n  \nNext",
]


@pytest.mark.parametrize("doc", DOCUMENTATION)
def test_docstring_comes_back(doc: str) -> None:
    function = t.FunctionDef("f", [], [t.Return(t.Const(None))], docstring=doc)
    nested = t.ClassDef("C", [], [], [function], docstring=doc)
    module = t.Module([function, nested], doc)
    namespace: Any = {}
    exec(compile(emit(module).text, "<emitted>", "exec"), namespace)
    for owner in (namespace["f"], namespace["C"], namespace["C"].f):
        assert owner.__doc__ == doc
    assert namespace["__doc__"] == doc


def test_docstring_layout() -> None:
    assert docstring("First.\n\nSecond.\n", "    ", (3, 13)) == '    """First.\n\n    Second.\n    """'
    assert docstring("First.\n\n    Second.\n    ", "    ", (3, 12)) == '    """First.\n\n    Second.\n    """'
    assert docstring("A \\d", "", (3, 12)) == 'r"""A \\d"""'
    assert docstring('Say """x"""', "", (3, 12)) == "'''Say \"\"\"x\"\"\"'''"


def test_a_long_text_stands_on_lines_of_its_own() -> None:
    text = "usage: some program with options\n\n  -x  an option\n  -y  another one that needs explaining\n"
    emitted = emit(t.Assign([t.Name("usage")], t.Const(text)))
    assert emitted.text == f'usage = """{text}"""\n'
    assert len(emitted.line_offsets) == emitted.text.count("\n")
    assert ast.literal_eval(emitted.text.partition("=")[2].strip()) == text
