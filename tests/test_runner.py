"""The runner behind `make test`: what it finds, what it plans, what it counts, and that it can fail."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import List, Optional

import pytest

from tools.environments import SetupError, ensure_checks
from tools.interpreters import SUPPORTED, best_by_version, find_all, parse_minor, probe
from tools.processes import TIMED_OUT, Interrupted, Processes
from tools.results import Result, read_report, skip_summary, table
from tools.run_tests import Job, parse_arguments, run_job

ROOT = Path(__file__).resolve().parent.parent

REPORT = """<?xml version="1.0"?><testsuites><testsuite>
<testcase name="a"/><testcase name="b"/>
<testcase classname="tests.test_x" name="c"><failure message="no">1\n2\n3 is not 4</failure></testcase>
<testcase name="d"><error message="no"/></testcase>
<testcase name="e"><skipped type="pytest.skip" message="needs match"/></testcase>
<testcase name="f"><skipped type="pytest.skip" message="needs match"/></testcase>
<testcase name="g"><skipped type="pytest.xfail" message="known"/></testcase>
</testsuite></testsuites>"""


def test_the_running_interpreter_says_what_it_is() -> None:
    found = probe(sys.executable, "PATH")
    assert found is not None
    assert found.version == sys.version_info[:3]
    assert found.short == "{}.{}".format(*sys.version_info[:2])


@pytest.mark.parametrize("content", [None, "#!/bin/sh\nexit 1\n", "#!/bin/sh\necho not a python\n"])
def test_what_is_no_interpreter_is_left_out(tmp_path: Path, content: Optional[str]) -> None:
    path = tmp_path / "python3.11"
    if content is not None:
        path.write_text(content)
        path.chmod(0o755)
    assert probe(str(path), "PATH") is None


def test_an_interpreter_named_in_the_environment_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEPYF_PYTHONS", os.pathsep.join(["/no/such/python", sys.executable]))
    best = best_by_version(find_all())[sys.version_info[:2]]
    assert best.source == "DEPYF_PYTHONS"
    assert best.version == sys.version_info[:3]


def test_an_interpreter_that_does_not_start_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DEPYF_PYTHONS", "/no/such/python")
    find_all()
    assert "/no/such/python" in capsys.readouterr().err


def test_versions_are_read() -> None:
    assert parse_minor("3.11") == (3, 11)
    assert parse_minor("3.8.18") == (3, 8)
    assert (SUPPORTED[0], SUPPORTED[-1]) == ((3, 8), (3, 15))


def test_a_report_is_counted_with_its_reasons(tmp_path: Path) -> None:
    (tmp_path / "report.xml").write_text(REPORT)
    result = Result("3.11", "CPython")
    read_report(tmp_path / "report.xml", result)
    assert (result.passed, result.failed, result.skipped) == (2, 2, 3)
    assert not result.ok
    assert result.failures == ["tests.test_x::c\n    1\n    2\n    3 is not 4", "d\n    no"]
    shown = skip_summary([result])
    assert "2 x needs match" in shown and "expected failure: known" in shown and "3.11: 2" in shown


def test_the_table_says_what_failed() -> None:
    rows = table([Result("3.8", "CPython 3.8.18", passed=3), Result("3.9", "CPython", failed=1, log="x.log")]).splitlines()
    assert rows[-2].endswith("ok") and rows[-2].startswith("3.8")
    assert rows[-1].endswith("FAILED, see x.log")


def test_everything_is_planned_unless_less_is_asked_for() -> None:
    plan, workers = parse_arguments([])
    assert plan.versions == list(SUPPORTED) and plan.tests == ["tests"] and plan.checks and workers == 2
    plan, _ = parse_arguments(["tests/proof", "--pythons", "3.8, 3.11"])
    assert plan.versions == [(3, 8), (3, 11)] and plan.tests == ["tests/proof"] and not plan.checks
    assert "versions other than 3.8, 3.11" in plan.left_out and "lint and types" in plan.left_out
    plan, _ = parse_arguments(["tests/torch/inspector"])
    assert plan.tests == [] and plan.torch_tests == ["tests/torch/inspector"]


def test_a_job_that_cannot_be_set_up_fails() -> None:
    def work(result: Result) -> None:
        ensure_checks([])

    result = run_job(Job("lint", "ruff", work))
    assert not result.ok and "none was found" in result.note
    with pytest.raises(SetupError):
        ensure_checks([])


needs_groups = pytest.mark.skipif(os.name == "nt", reason="process groups are a Unix matter")


def hanging(mark: Path) -> List[str]:
    """A command that starts another one, which makes the mark again and again."""
    child = f"import time\nwhile True: open({str(mark)!r}, 'w').close(); time.sleep(0.01)"
    parent = f"import subprocess, sys; subprocess.call([sys.executable, '-c', {child!r}])"
    return [sys.executable, "-c", parent]


def is_made_again(mark: Path) -> bool:
    mark.unlink()
    # whatever still runs has made the mark again before this interpreter has even started
    subprocess.check_call([sys.executable, "-c", "pass"])
    return mark.exists()


@needs_groups
def test_a_command_that_hangs_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    mark, log = tmp_path / "alive", tmp_path / "log"
    assert Processes().run(hanging(mark), log, 3.0, tmp_path) == TIMED_OUT
    assert "ended" in log.read_text()
    assert not is_made_again(mark)


@needs_groups
def test_stopping_the_runner_ends_what_runs_and_starts_nothing(tmp_path: Path) -> None:
    mark, log = tmp_path / "alive", tmp_path / "log"
    processes = Processes()
    with ThreadPoolExecutor(1) as pool:
        under_way = pool.submit(processes.run, hanging(mark), log, 60.0, tmp_path)
        while not mark.exists():
            wait([under_way], timeout=0.05)
        processes.end_all()
        assert under_way.result(timeout=30) < 0
    assert not is_made_again(mark)
    with pytest.raises(Interrupted):
        processes.run([sys.executable, "-c", "pass"], log, 60.0, tmp_path)


def test_make_help_lists_every_target() -> None:
    targets = [line.split(":")[0] for line in (ROOT / "Makefile").read_text().splitlines() if line[:1].isalpha() and ":" in line]
    shown = subprocess.run(["make", "help"], stdout=subprocess.PIPE, cwd=str(ROOT), check=True).stdout.decode()
    listed = [line.split()[0] for line in shown.splitlines() if line.startswith("  ")]
    phony = [target for target in targets if target.islower()]
    assert listed == phony and {"test", "demo", "corpus"} <= set(listed)
