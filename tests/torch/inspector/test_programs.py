"""Every kind of program gives the same results, compilations and graph breaks under prepare_debug as without it."""

from __future__ import annotations

import functools
import re
import sys
from typing import Any

import pytest
import torch

from depyf.compatibility.behaviours import present
from tests.torch.inspector import support
from tests.torch.inspector.programs import PROGRAMS

# what a release needs for all code of a program to be linked
NEEDS = dict.fromkeys(("context_managers", "training_step"), "resume_functions_by_name") if sys.version_info >= (3, 14) else {}
CASES = [
    pytest.param(name, backend, id=f"{name}-{backend}", marks=[support.requires(NEEDS[name])] if name in NEEDS else [])
    for backend in ("eager", "aot_eager")
    for name in PROGRAMS
]
# PyTorch imports modules when it first runs backward inside of compiled code, and looks at their frames
IMPORTS_WHILE_IT_RUNS = {"training_step"}
# whether a profiler runs, before and after the arguments are made: two calls of markers became two tests around them
LINES_OF_QUESTIONS = 5 if present("markers_while_profiling") else 0


@pytest.mark.parametrize(("name", "backend"), CASES)
def test_program(name: str, backend: str, tmp_path: Any, capsys: Any, recwarn: Any) -> None:
    program = PROGRAMS[name]
    compile = functools.partial(torch.compile, backend=backend)
    with support.untraced():
        if name in IMPORTS_WHILE_IT_RUNS:
            program(compile)
            support.fresh()
        with support.without_depyf():
            expected = program(compile)
        plain_counts = support.compiler_counts()
        support.fresh()
        with torch.random.fork_rng(devices=[]):
            got = support.dumped(tmp_path / "dump", lambda: program(compile))
    assert support.same(got, expected)
    assert support.compiler_counts() == plain_counts
    assert capsys.readouterr().out == ""
    data = support.session(tmp_path / "dump")
    assert data["problems"] == []
    assert not [w for w in recwarn.list if "depyf" in str(w.message) or issubclass(w.category, SyntaxWarning)]
    support.assert_python(tmp_path / "dump")
    codes = support.codes(tmp_path / "dump")
    support.SEEN.extend((code["status"], code["linked"]) for code in codes)
    for code in codes:
        assert (code["status"], code["linked"]) == ("EQUAL", True), code


def test_transformed_code_of_toy_example_is_short(tmp_path: Any) -> None:
    program = PROGRAMS["graph_break_on_data"]
    support.dumped(tmp_path, lambda: program(functools.partial(torch.compile, backend="eager")))
    text = support.read(tmp_path, "__transformed_code_0_for_toy.py")
    body = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    assert len(body) <= 15 + LINES_OF_QUESTIONS, text
    assert sum(line.count("__resume_at_") for line in body) == 2, text
    assert any(line.strip().startswith("return ") for line in body), text
    assert any("__compiled_fn_" in line for line in body), text
    assert any(re.search(r"\bif __temp_\d+\b", line) for line in body), text


def test_transformed_code_of_one_graph_has_nothing_of_frame_passing(tmp_path: Any) -> None:
    """PyTorch builds lists for the values of frames even where there are none to pass."""

    def add(a: Any, b: Any) -> Any:
        return a + b

    support.dumped(tmp_path, lambda: torch.compile(add, backend="eager")(torch.ones(2), torch.ones(2)))
    text = support.read(tmp_path, "__transformed_code_0_for_add.py")
    body = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    assert len(body) <= 8 + LINES_OF_QUESTIONS, text
    assert not any(":=" in line or "[]" in line for line in body), text


def test_values_stand_where_they_are_used(tmp_path: Any) -> None:
    program = PROGRAMS["named_tuples_in_and_out"]
    support.dumped(tmp_path, lambda: program(functools.partial(torch.compile, backend="eager")))
    text = support.read(tmp_path, "__transformed_code_0_for_moved.py")
    assert re.search(r"\(\(graph_out_0\[0\], graph_out_0\[1\]\)\)", text), text
    assert "tmp_" not in "".join(re.findall(r"^.*\bpoint\.x.*$", text, re.M)), text
