"""Generated code reads like written code: values stand where they are used, and no effect moves."""

from __future__ import annotations

import sys
import types
from typing import List

import pytest

import depyf
from tools.assembler import Instruction, disassemble

COPY = Instruction("COPY", 1) if sys.version_info >= (3, 11) else Instruction("DUP_TOP", 0)


def generated(source: str) -> types.CodeType:
    """The code of function `f`, with a list at its start that is copied and dropped, as only programs generate it."""
    namespace: dict = {}
    exec(source, namespace)
    assembly = disassemble(namespace["f"].__code__)
    starts = [i for i, known in enumerate(assembly.instructions) if known.op in ("RESUME", "MAKE_CELL", "COPY_FREE_VARS")]
    noise = [Instruction("BUILD_LIST", 0), COPY, Instruction("BUILD_LIST", 2), Instruction("POP_TOP", 0)]
    assembly.insert(max(starts, default=-1) + 1, noise)
    code = assembly.assemble()
    return code.replace(co_stacksize=code.co_stacksize + 3)


def lines_of(source: str) -> List[str]:
    text = depyf.decompile(generated(source), verify=True)
    assert text.verdict, text
    return [line.strip() for line in text.splitlines()][1:]


def test_what_is_deleted_before_a_plain_return_is_left_to_it() -> None:
    assert lines_of("def f(g, a):\n    out = g(a)\n    first = out[0]\n    del out\n    return first, a\n") == [
        "out = g(a)",
        "first = out[0]",
        "return first, a",
    ]


def test_what_is_deleted_before_a_call_stays_deleted_before_it() -> None:
    lines = lines_of("def f(g, a):\n    out = g(a)\n    first = out[0]\n    del out\n    return g(first)\n")
    assert lines == ["out = g(a)", "first = out[0]", "del out", "return g(first)"]


def test_a_variable_that_repeats_a_parameter_is_the_parameter() -> None:
    assert lines_of("def f(g, a):\n    b = a\n    c = b\n    x = b.x\n    y = c.y\n    del b\n    return g(x, y)\n") == [
        "x = a.x",
        "y = a.y",
        "return g(x, y)",
    ]


@pytest.mark.parametrize("change", ["a = g(b)", "del a"])
def test_a_variable_that_outlives_the_parameter_stays(change: str) -> None:
    lines = lines_of(f"def f(g, a):\n    b = a\n    {change}\n    return g(b)\n")
    assert lines == ["b = a", change, "return g(b)"]


def test_a_variable_that_a_loop_changes_stays() -> None:
    lines = lines_of("def f(g, a):\n    for x in g(a):\n        b = x\n        g(b)\n    return g(b)\n")
    assert "b = x" in lines


def test_deletions_in_a_row_are_one_statement() -> None:
    lines = lines_of("def f(g, a):\n    b = g(a)\n    c = g(b)\n    d = g(b, c)\n    del b\n    del c\n    return g(d)\n")
    assert lines[-2:] == ["del b, c", "return g(d)"]


def test_cells_that_functions_capture_need_no_declaration() -> None:
    lines = lines_of("def f(g, a):\n    return g(lambda: a)\n")
    assert lines == ["return g(lambda: a)"]


def test_imports_stay_where_nobody_reads_their_names() -> None:
    code = compile("def f(a):\n    from os import sep\n    import os.path as m, sys\n    b = g()\n    return a\n", "<text>", "exec")
    function = next(one for one in code.co_consts if isinstance(one, type(code)))
    text = depyf.Decompiler(function).decompile(drop_unread=True)
    assert "from os import sep" in text and "import os.path as m" in text
    assert "b =" not in text
