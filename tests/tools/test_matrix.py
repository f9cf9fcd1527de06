"""The machinery of `make matrix`, without installing anything: plan, selection, room, rows that are kept, the page."""

from __future__ import annotations

import argparse
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from depyf.compatibility.behaviours import BEHAVIOURS
from tools import matrix, matrix_lean, matrix_page, matrix_rows
from tools.commits import examined_commit
from tools.environments import SetupError
from tools.matrix_rows import HEADLINES, Row, Rows

PASSED = dict.fromkeys(HEADLINES, "passed")
REPORT = """<testsuites><testsuite>
<testcase classname="tests.torch.a" name="good"/>
<testcase classname="tests.torch.a" name="bad"><failure message="no"/></testcase>
<testcase classname="tests.torch.a" name="broken"><error message="no"/></testcase>
<testcase classname="tests.torch.a" name="later"><skipped message="why"/></testcase>
</testsuite></testsuites>"""


def options(**changed: Any) -> argparse.Namespace:
    found = matrix.parse([])
    for name, value in changed.items():
        setattr(found, name, value)
    return found


def test_the_plan_has_each_release_and_each_cpython() -> None:
    releases = {".".join(release.split(".")[:2]) for release, _ in matrix.PLAN}
    assert releases == {f"2.{minor}" for minor in range(2, 16)}
    assert {python for _, python in matrix.PLAN} == {f"3.{minor}" for minor in range(8, 16)}
    assert len(set(matrix.PLAN)) == len(matrix.PLAN)


def test_rows_are_selected_in_the_order_asked_for() -> None:
    plan = [("2.2.2", "3.8"), ("2.15.0", "3.14"), ("2.15.0", "3.15")]
    assert matrix.select(plan, []) == plan
    assert matrix.select(plan, ["2.15.0", "2.2.2"]) == [("2.15.0", "3.14"), ("2.15.0", "3.15"), ("2.2.2", "3.8")]
    assert matrix.select(plan, ["2.2.2@3.11", "2.2.2@3.11"]) == [("2.2.2", "3.11")]
    with pytest.raises(SystemExit, match=r"1\.13"):
        matrix.select(plan, ["1.13"])


def test_releases_before_2_3_get_numpy_1() -> None:
    assert "numpy <2" in matrix.requirements_for("2.2.2")
    assert "numpy" in matrix.requirements_for("2.3.1") and "numpy <2" not in matrix.requirements_for("2.10.0")


def test_room_is_checked_before_anything_is_installed(tmp_path: Path) -> None:
    matrix.check_room(tmp_path, 1)
    with pytest.raises(matrix.NoRoom, match="make room"):
        matrix.check_room(tmp_path, 10**18)


def test_rows_survive_the_run(tmp_path: Path) -> None:
    rows = Rows(tmp_path / "rows")
    assert rows.read("2.2.2-3.8") is None and rows.all() == []
    row = Row("2.2.2", "3.8", headlines=dict(PASSED), tested=True, passed=3, reasons={"why": 1})
    rows.write("2.2.2-3.8", row)
    assert rows.read("2.2.2-3.8") == row and rows.all() == [row]
    (tmp_path / "rows" / "2.3.1-3.9.json").write_text('{"release": ')  # a run that was ended while it wrote
    assert rows.read("2.3.1-3.9") is None and rows.all() == [row]


@pytest.mark.parametrize(
    "changed",
    [{"error": "no"}, {"failed": 1}, {"headlines": {}}, {"scripts": {"a.py": "status 1"}}, {"behaviours": {"stance": True}}],
)
def test_anything_that_failed_makes_a_row_fail(changed: Any) -> None:
    good = Row("2.2.2", "3.8", headlines=dict(PASSED), scripts={"a.py": "passed"})
    assert good.ok and good.summary().startswith("ok")
    for name, value in changed.items():
        setattr(good, name, value)
    assert not good.ok and "FAILED" in good.summary()


def run(tmp_path: Path, monkeypatch: Any, made: Any, **changed: Any) -> matrix.Matrix:
    """A run over two rows, where making an environment and examining it are the functions given."""
    monkeypatch.setattr(matrix, "PLAN", [("2.2.2", "3.8"), ("2.3.1", "3.9")])
    monkeypatch.setattr(matrix, "find_all", lambda: [])
    monkeypatch.setattr(matrix, "LOGS", tmp_path / "logs")
    monkeypatch.setattr(matrix, "VENVS", tmp_path / "venvs")
    monkeypatch.setattr(matrix, "ROOT", tmp_path)
    (tmp_path / "docs").mkdir(exist_ok=True)
    running = matrix.Matrix(options(**changed), Rows(tmp_path / "rows"))
    monkeypatch.setattr(running, "make", made)
    running.run()
    return running


def folder_of(tmp_path: Path, row: Row) -> Path:
    folder = tmp_path / "venvs" / f"matrix-{row.release}-{row.python}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.mark.parametrize("ahead", [False, True])
def test_a_run_examines_each_row_removes_it_and_resumes(tmp_path: Path, monkeypatch: Any, ahead: bool) -> None:
    examined = []

    def examine(row: Row, python: Path, *_: Any) -> None:
        assert python.exists()
        examined.append(row.release)
        row.headlines, row.tested = dict(PASSED), True
        if row.release == "2.3.1" and len(examined) < 3:
            row.failed = 1

    monkeypatch.setattr(matrix, "examine", examine)
    run(tmp_path, monkeypatch, lambda row: folder_of(tmp_path, row), ahead=ahead)
    assert examined == ["2.2.2", "2.3.1"]
    assert list((tmp_path / "venvs").iterdir()) == []
    assert "**no**" not in (tmp_path / "docs" / "compatibility.md").read_text(encoding="utf-8")
    run(tmp_path, monkeypatch, lambda row: folder_of(tmp_path, row), ahead=ahead)
    assert examined == ["2.2.2", "2.3.1", "2.3.1"]  # what failed is run again, what passed is not
    run(tmp_path, monkeypatch, lambda row: folder_of(tmp_path, row), again=True)
    assert examined[3:] == ["2.2.2", "2.3.1"]


def test_an_environment_that_cannot_be_made_is_a_row_that_failed(tmp_path: Path, monkeypatch: Any) -> None:
    def make(row: Row) -> Path:
        raise SetupError("no wheel")

    running = run(tmp_path, monkeypatch, make)
    assert [row.error for row in running.rows.all()] == ["no wheel", "no wheel"]
    assert "no wheel" in (tmp_path / "docs" / "compatibility.md").read_text(encoding="utf-8")


def test_a_run_ends_where_there_is_no_room(tmp_path: Path, monkeypatch: Any) -> None:
    def make(row: Row) -> Path:
        raise matrix.NoRoom("make room")

    assert len(run(tmp_path, monkeypatch, make).rows.all()) == 1


def test_what_pytorch_requires_besides_cuda() -> None:
    lines = ["Name: torch", "Requires-Dist: filelock", "Requires-Dist: nvidia-cublas-cu12 ==12.1; platform_system == 'Linux'"]
    lines += ["Requires-Dist: triton ==2.2.0", "Requires-Dist: cuda-toolkit[cublas] ==13.2", "Requires-Dist: sympy >=1.13"]
    lines += ["Requires-Dist: optree >=0.9 ; extra == 'optree'", "", "sympy and others"]
    assert matrix_lean.own_requirements("\n".join(lines)) == ["filelock", "sympy >=1.13"]


@pytest.mark.skipif(os.name == "nt", reason="the stand-in for an interpreter is a shell script")
def test_headers_of_a_moved_cpython_are_found(tmp_path: Path) -> None:
    real = tmp_path / "usr" / "include" / "some-arch" / "python3.14"
    real.mkdir(parents=True)
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\necho {tmp_path}/usr/include/python3.14\necho some-arch\n")
    python.chmod(0o755)
    assert matrix_rows.moved_headers(python, tmp_path / "made") is None  # nothing there to be found
    (real / "pyconfig.h").write_text("")
    for _ in range(2):
        assert matrix_rows.moved_headers(python, tmp_path / "made") == tmp_path / "made"
        assert (tmp_path / "made" / "some-arch" / "python3.14" / "pyconfig.h").is_file()
        assert len(list((tmp_path / "made").iterdir())) == 1


def test_failed_tests_are_named(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    report.write_text(REPORT)
    assert matrix_rows.failed_cases(report) == ["tests/torch/a::bad", "tests/torch/a::broken"]
    assert matrix_rows.failed_cases(tmp_path / "none.xml") == []


def test_the_page_says_what_ran_what_failed_and_what_is_lacking() -> None:
    old = Row("2.2.2", "3.8", version="2.2.2+cu121", headlines={**PASSED, "debug": "AssertionError: x"}, behaviours={"stance": False})
    new = Row("2.10.0", "3.14", headlines=dict(PASSED), tested=True, passed=5, failed=1, skipped=2, reasons={"why": 2},
              failures=["tests/torch/a::bad"], behaviours={"stance": True}, scripts={"a.py": "passed"})
    text = matrix_page.page([new, old])
    assert text.index("| 2.2.2+cu121 | 3.8 | yes | **no** | yes | yes | not run | not run |") < text.index("| 2.10.0 | 3.14 |")
    assert "| 2.10.0 | 3.14 | yes | yes | yes | yes | 1 of 1 | 5 / 1 / 2 |" in text
    assert "All headline examples pass in 1 of 2 rows" in text and "°" not in text
    assert "- 2.2.2 on 3.8, debug: AssertionError: x" in text and "test `tests/torch/a::bad`" in text
    assert "- 2 × why (2.10.0)" in text
    assert next(line for line in text.splitlines() if line.startswith("| `stance`")).endswith("| 2.2.2 |")


def test_a_row_says_which_code_it_is_of(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=str(tmp_path), check=True)

    for name in ("depyf/a.py", "docs/compatibility.md"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text("1\n")
    git("init", "-q")
    git("add", ".")
    git("commit", "-q", "-m", "x")
    (tmp_path / "docs" / "compatibility.md").write_text("2\n")
    clean = examined_commit(tmp_path)
    assert len(clean) >= 7 and "+" not in clean
    (tmp_path / "depyf" / "a.py").write_text("2\n")
    assert examined_commit(tmp_path) == clean + "+"


def test_behaviours_are_named_once_and_in_order() -> None:
    names = [behaviour.name for behaviour in BEHAVIOURS]
    assert len(set(names)) == len(names)
    assert [b.since for b in BEHAVIOURS] == sorted(b.since for b in BEHAVIOURS)
