"""Lines that are too long are broken as a person would break them, and mean the same afterwards."""

from __future__ import annotations

import sys

import pytest

from depyf.decompiler import tree as t
from depyf.decompiler.emit import emit

from .from_ast import canonical, convert, first_difference

CASES = {
    "call": (
        'parser.add_argument("--out", metavar="FILE", default=1)',
        """\
        parser.add_argument(
            "--out", metavar="FILE", default=1
        )
        """,
    ),
    "one_item_a_line": (
        "function(first_argument, second_argument, third=argument, **others)",
        """\
        function(
            first_argument,
            second_argument,
            third=argument,
            **others,
        )
        """,
    ),
    "generator_without_comma": (
        "result = sum(some_function(element) for element in some_list if element)",
        """\
        result = sum(
            some_function(element)
            for element in some_list
            if element
        )
        """,
    ),
    "condition": (
        "if first_condition and second_condition or third_condition:\n    pass",
        """\
        if (
            first_condition and second_condition
            or third_condition
        ):
            pass
        """,
    ),
    "sum": (
        "total = first_summand + second_summand * factor - third_summand",
        """\
        total = (
            first_summand
            + second_summand * factor
            - third_summand
        )
        """,
    ),
    "conditional_expression": (
        "value = first_alternative if some_condition else other_alternative",
        """\
        value = (
            first_alternative
            if some_condition
            else other_alternative
        )
        """,
    ),
    "implicit_tuple": (
        "return first_alternative, other_alternative, third",
        """\
        return (
            first_alternative,
            other_alternative,
            third,
        )
        """,
    ),
    "percent": (
        'message = "%s is not %s" % (some_long_name, other_name)',
        """\
        message = "%s is not %s" % (
            some_long_name, other_name
        )
        """,
    ),
    "subscript": (
        "some_dictionary[some_long_key] = other_dictionary[other_long_key]",
        """\
        some_dictionary[some_long_key] = (
            other_dictionary[other_long_key]
        )
        """,
    ),
    "chain": (
        "query.filter(first=argument).order_by(column, other).all()",
        """\
        query.filter(first=argument).order_by(
            column, other
        ).all()
        """,
    ),
    "definition": (
        "def function(first, second: int = 1, *rest, keyword=None):\n    pass",
        """\
        def function(
            first,
            second: int = 1,
            *rest,
            keyword=None,
        ):
            pass
        """,
    ),
    "imports": (
        "from package.module import first_name, second as other",
        """\
        from package.module import (
            first_name, second as other
        )
        """,
    ),
    "nested": (
        'data = {"key": [first_element, second_element, third], "other": 1}',
        """\
        data = {
            "key": [
                first_element,
                second_element,
                third,
            ],
            "other": 1,
        }
        """,
    ),
    "long_string": (
        'raise ValueError("a message of many words that does not fit on one line", value)',
        """\
        raise ValueError(
            "a message of many words that "
            "does not fit on one line",
            value,
        )
        """,
    ),
    "assigned_string": (
        'text = "a message of many words that does not fit on one line"',
        """\
        text = (
            "a message of many words that does "
            "not fit on one line"
        )
        """,
    ),
    "keyword_string": (
        'add(name, help="a message of many words that does not fit on one line")',
        """\
        add(
            name,
            help=(
                "a message of many words that "
                "does not fit on one line"
            ),
        )
        """,
    ),
    "f_string": (
        'raise ValueError(f"a message of many {words!r} that do {not_} fit on one line")',
        """\
        raise ValueError(
            f"a message of many {words!r} that "
            f"do {not_} fit on one line"
        )
        """,
    ),
    "f_string_with_plain_pieces": (
        'message = f"{a} message of many words that does not fit on one line"',
        """\
        message = (
            f"{a} message of many words that "
            "does not fit on one line"
        )
        """,
    ),
    "format": (
        'message = "a message of many words that {} not fit on one line".format(does)',
        """\
        message = (
            "a message of many words that {} "
            "not fit on one line"
        ).format(does)
        """,
    ),
    "raw_string": (
        r'pattern = r"(\d+)\s(\d+)\s(\d+)\s(\d+)\s(\d+)\s(\d+)"',
        """\
        pattern = (
            r"(\\d+)\\s(\\d+)\\s(\\d+)\\s(\\d+)\\s(\\d+)"
            r"\\s(\\d+)"
        )
        """,
    ),
    "targets": (
        "first_target, second_target, third_target, fourth_target = values",
        """\
        (
            first_target,
            second_target,
            third_target,
            fourth_target,
        ) = values
        """,
    ),
    "lines_of_a_string": (
        'write("usage: program with options\\nsecond line\\n")',
        """\
        write(
            "usage: program with options\\n"
            "second line\\n"
        )
        """,
    ),
    "table": (
        f"table = {list(range(20))}",
        """\
        table = [
            0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
            11, 12, 13, 14, 15, 16, 17, 18, 19,
        ]
        """,
    ),
    "nothing_to_break": (
        "del first_long_name, second_long_name, third_long_name",
        """\
        del first_long_name, second_long_name, third_long_name
        """,
    ),
    "assertion": (
        'assert first_condition == second_value, "some message"',
        """\
        assert (
            first_condition == second_value
        ), "some message"
        """,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_layout(case: str) -> None:
    source, expected = CASES[case]
    expected = "".join(line[8:] for line in expected.splitlines(True))
    text = emit(convert(source), width=40).text
    assert text == expected
    assert first_difference(canonical(source), canonical(text)) is None


def test_declarations_go_on_in_another_one() -> None:
    names = [f"some_global_{number}" for number in range(5)]
    text = emit(t.Global(names, 3), width=40)
    assert text.text == "global some_global_0, some_global_1\nglobal some_global_2, some_global_3\nglobal some_global_4\n"
    assert text.line_offsets == [[3], [], []]


def test_texts_of_several_lines() -> None:
    lines = "a line of a longer text\n" * 4
    call = t.Call(t.Name("f"), [t.Const(lines), t.Name("x")], [])
    assert emit(t.ExprStmt(call), width=40).text == f'f("""{lines}""", x)\n'
    table = t.Dict_([(t.Const("a"), t.Const(lines)), (t.Const("b"), t.Const(lines))])
    expected = f'x = {{\n    "a": """{lines}""",\n    "b": """{lines}""",\n}}\n'
    assert emit(t.Assign([t.Name("x")], table), width=40).text == expected


def test_what_fits_stays() -> None:
    source = "x" * 10 + " = " + "y" * 27 + "\n"
    assert emit(convert(source), width=40).text == source
    assert emit(convert(source), width=39).text != source


@pytest.mark.skipif(sys.version_info < (3, 10), reason="parentheses around managers are of 3.10")
def test_managers() -> None:
    source = "with open(first_file) as first, open(second_file) as second:\n    pass\n"
    expected = "with (\n    open(first_file) as first,\n    open(second_file) as second,\n):\n    pass\n"
    text = emit(convert(source), width=40).text
    assert text == expected
    assert canonical(source) == canonical(text)
    before = emit(convert(source), width=40, version=(3, 8)).text
    assert before == (
        "with open(first_file) as first, open(\n    second_file\n) as second:\n    pass\n"
    )
    assert canonical(source) == canonical(before)


def test_deterministic_and_stable() -> None:
    for source, _ in CASES.values():
        once = emit(convert(source), width=40).text
        assert emit(convert(source), width=40).text == once
        assert emit(convert(once), width=40).text == once
