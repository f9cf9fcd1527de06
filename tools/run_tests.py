"""The runner behind `make test`: every CPython found, PyTorch's tests under one of them, then lint and types.

Makes the environments it needs, runs at most two jobs at a time, and closes with a table of what ran where and what
was not found. Exit status 1 if anything failed or no interpreter was found. Standard library only.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import sys
import threading
import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Dict, List, Sequence, Tuple

from tools.environments import LOGS, ROOT, VENVS, SetupError, ensure_checks, ensure_tests, ensure_torch
from tools.interpreters import SUPPORTED, Interpreter, best_by_version, find_all, parse_minor
from tools.processes import TIMED_OUT, Processes
from tools.results import Result, read_report, skip_summary, table

TORCH_TESTS = "tests/torch"


@dataclass
class Job:
    """One row of the table to be: a label, and what fills it in."""

    label: str
    what: str
    work: Callable[[Result], None]


@dataclass
class Plan:
    """What was asked for on the command line."""

    versions: List[Tuple[int, int]]
    tests: List[str]
    torch_tests: List[str]
    checks: bool
    extra: List[str]
    timeout: float
    left_out: List[str] = field(default_factory=list)
    processes: Processes = field(default_factory=Processes)


def say(text: str) -> None:
    sys.stdout.write(text + "\n")  # one write: lines of two threads do not mix
    sys.stdout.flush()


def test_environment(name: str) -> Dict[str, str]:
    cache = VENVS / "cache" / name
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
    environment.setdefault("DEPYF_CHECK", "1")  # the laws of every stage are checked in tests
    environment["HYPOTHESIS_STORAGE_DIRECTORY"] = str(cache / "hypothesis")
    environment["TORCHINDUCTOR_CACHE_DIR"] = str(cache / "inductor")
    environment["PYTHONPATH"] = str(ROOT)
    return environment


def pytest_work(name: str, python: Callable[[Result], Path], tests: List[str], plan: Plan) -> Callable[[Result], None]:
    """Run pytest in the environment that `python` makes, and read its report."""

    def work(result: Result) -> None:
        log, report = LOGS / f"{name}.log", LOGS / f"{name}.xml"
        result.log = str(log.relative_to(ROOT))
        for old in (log, report):
            if old.exists():
                old.unlink()
        interpreter = str(python(result))
        command = [interpreter, "-m", "pytest", *tests, "-q", f"--junitxml={report}"]
        command += ["-o", f"cache_dir={VENVS / 'cache' / name / 'pytest'}", "-o", "faulthandler_timeout=600"]
        status = plan.processes.run(command + plan.extra, log, plan.timeout, ROOT, test_environment(name))
        read_report(report, result)
        if status == TIMED_OUT:
            result.failed, result.note = result.failed + 1, f"ended after {plan.timeout:.0f} s"
        elif status == 5:
            result.note = "no tests selected"
        elif status not in (0, 1) or (status == 1 and not result.failed):
            result.failed, result.note = result.failed + 1, f"pytest ended with status {status}"

    return work


def check_work(name: str, python: Callable[[Result], Path], arguments: List[str], plan: Plan) -> Callable[[Result], None]:
    """Run a linter of the checks environment; its verdict counts as one test."""

    def work(result: Result) -> None:
        log = LOGS / f"{name}.log"
        result.log = str(log.relative_to(ROOT))
        if log.exists():
            log.unlink()
        passed = plan.processes.run([str(python(result)), *arguments], log, 600.0, ROOT) == 0
        result.passed, result.failed = int(passed), int(not passed)

    return work


def torch_python(found: List[Interpreter]) -> Callable[[Result], Path]:
    def python(result: Result) -> Path:
        path, interpreter, release = ensure_torch(found)
        result.label, result.what = interpreter.short, f"PyTorch {release}"
        return path

    return python


def checks_python(found: List[Interpreter]) -> Callable[[Result], Path]:
    guard = threading.Lock()  # lint and types share the environment, and may start at the same time

    def python(result: Result) -> Path:
        with guard:
            return ensure_checks(found)

    return python


def make_jobs(plan: Plan, found: List[Interpreter]) -> List[Job]:
    """PyTorch first, since it takes longest; lint and types last."""
    best = best_by_version(found)
    jobs: List[Job] = []
    if plan.torch_tests:
        work = pytest_work("torch", torch_python(found), plan.torch_tests, plan)
        jobs.append(Job("torch", "PyTorch", work))
    for minor in reversed(plan.versions if plan.tests else []):
        if minor in best:
            interpreter = best[minor]
            tests = [*plan.tests, f"--ignore={TORCH_TESTS}"]

            def python(result: Result, interpreter: Interpreter = interpreter) -> Path:
                return ensure_tests(interpreter)

            work = pytest_work(f"py{interpreter.short}", python, tests, plan)
            jobs.append(Job(interpreter.short, f"CPython {interpreter.full}", work))
    if plan.checks:
        checks = checks_python(found)
        jobs.append(Job("lint", "ruff", check_work("lint", checks, ["-m", "ruff", "check", "."], plan)))
        jobs.append(Job("types", "mypy --strict", check_work("types", checks, ["-m", "mypy"], plan)))
    return jobs


def run_job(job: Job) -> Result:
    result = Result(job.label, job.what)
    started = time.time()
    try:
        job.work(result)
    except SetupError as error:
        result.failed, result.note = result.failed + 1, f"not run: {error}"
    except Exception as error:  # the table must come, whatever happens to one of its rows
        result.failed, result.note = result.failed + 1, f"not run: {type(error).__name__}: {error}"
    result.seconds = time.time() - started
    return result


def progress_of(label: str) -> str:
    """How far pytest says it is, from the end of its log."""
    for log in (LOGS / f"py{label}.log", LOGS / f"{label}.log"):
        if log.exists():
            shown = re.findall(r"\[ *(\d+)%\]", log.read_text(encoding="utf-8", errors="replace"))
            return f"{label} ({shown[-1]} %)" if shown else label
    return label


def show_end(result: Result) -> None:
    note = f", {result.note}" if result.note else ""
    say(
        f"{'done  ' if result.ok else 'FAILED'} {result.label:6} {result.what}: {result.passed} passed, "
        f"{result.failed} failed, {result.skipped} skipped in {result.seconds:.0f} s{note}"
    )
    for failure in result.failures[:10]:
        say(f"  failed: {failure}")
    if not result.ok and not result.failures and result.log and (ROOT / result.log).exists():
        lines = (ROOT / result.log).read_text(encoding="utf-8", errors="replace").splitlines()
        say(f"  --- the end of {result.log} ---")
        say("\n".join("  | " + line for line in lines[-60:]))


def run_all(jobs: List[Job], workers: int, processes: Processes) -> List[Result]:
    """Run the jobs, `workers` at a time, with a line at each start and end and a sign of life in between."""
    running: List[str] = []

    def run(job: Job) -> Result:
        say(f"start  {job.label:6} {job.what}")
        running.append(job.label)
        try:
            return run_job(job)
        finally:
            running.remove(job.label)

    with ThreadPoolExecutor(workers) as pool:
        futures: List[Future[Result]] = [pool.submit(run, job) for job in jobs]
        pending = set(futures)
        try:
            while pending:
                done, pending = wait(pending, timeout=60.0, return_when=FIRST_COMPLETED)
                for future in done:
                    show_end(future.result())
                if not done:
                    say("  ... " + ", ".join(progress_of(label) for label in list(running)))
        except KeyboardInterrupt:
            for future in pending:
                future.cancel()
            processes.end_all()
            raise
    return [future.result() for future in futures]


def parse_arguments(arguments: Sequence[str]) -> Tuple[Plan, int]:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tests", nargs="*", help="files or folders of tests (all)")
    parser.add_argument("--pythons", default="", help="versions, such as '3.8 3.11' or '3.11 torch' (all)")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time (2)")
    parser.add_argument("--timeout", type=float, default=1500.0, help="seconds that one version may take (1500)")
    parser.add_argument("--pytest", default="", help="more arguments for pytest, such as '-x -k name'")
    given = parser.parse_args(arguments)
    words = given.pythons.replace(",", " ").split()
    try:
        versions = [parse_minor(word) for word in words if word != "torch"]
    except ValueError:
        parser.error(f"--pythons takes versions such as 3.11, and 'torch'; not {given.pythons!r}")
    is_torch = {test: Path(test).as_posix().startswith(TORCH_TESTS) for test in given.tests}
    everything = not words and not given.tests
    plan = Plan(
        versions=versions or ([] if words else list(SUPPORTED)),
        tests=[test for test in given.tests if not is_torch[test]] or ([] if any(is_torch.values()) else ["tests"]),
        torch_tests=[test for test in given.tests if is_torch[test]],
        checks=everything,
        extra=given.pytest.split(),
        timeout=given.timeout,
    )
    if everything or ("torch" in words and not given.tests):
        plan.torch_tests = [TORCH_TESTS] if (ROOT / TORCH_TESTS).is_dir() else []
    if words:
        plan.left_out.append("versions other than " + ", ".join(words))
    if not plan.torch_tests:
        absent = "" if (ROOT / TORCH_TESTS).is_dir() else f" (there is no {TORCH_TESTS})"
        plan.left_out.append(f"PyTorch's tests{absent}")
    if not everything:
        plan.left_out.append("lint and types")
    return plan, max(1, given.jobs)


def interrupt(signal_number: int, frame: object) -> None:
    raise KeyboardInterrupt


def main(arguments: Sequence[str]) -> int:
    started = time.time()
    signal.signal(signal.SIGTERM, interrupt)
    plan, workers = parse_arguments(arguments)
    found = find_all()
    best = best_by_version(found)
    wanted = plan.versions or list(SUPPORTED)
    missing = ["{}.{}".format(*minor) for minor in wanted if minor not in best]
    say("Found: " + (", ".join(f"CPython {i.full} ({i.source})" for i in best.values()) or "no CPython at all"))
    jobs = make_jobs(plan, found)
    LOGS.mkdir(parents=True, exist_ok=True)
    try:
        results = run_all(jobs, workers, plan.processes)
    except KeyboardInterrupt:
        say(f"interrupted; what ran is ended, and its logs are in {LOGS.relative_to(ROOT)}/")
        return 130
    order = {"lint": 2, "types": 3}
    say("\n" + table(sorted(results, key=lambda r: (order.get(r.label, "PyTorch" in r.what), results.index(r) * -1))))
    skipped = skip_summary(results)
    if skipped:
        say("\nSkipped, and why:\n" + skipped)
    if missing:
        say(
            f"\nNot found: CPython {', '.join(missing)} (looked in DEPYF_PYTHONS, on the PATH and under pyenv; name "
            "interpreters in DEPYF_PYTHONS to add them)"
        )
    if plan.left_out:
        say(f"Left out: {'; '.join(plan.left_out)}")
    if not any(minor in best for minor in wanted):
        say("No interpreter to test with was found.")
    totals = [sum(getattr(r, name) for r in results) for name in ("passed", "failed", "skipped")]
    failures = [f"  {r.label}: {failure.splitlines()[0]}" for r in results for failure in r.failures]
    if failures:
        say("\nFailed:\n" + "\n".join(failures))
    good = bool(results) and totals[1] == 0 and any(minor in best for minor in wanted)
    say(f"\nLogs are in {LOGS.relative_to(ROOT)}/; all of it took {time.time() - started:.0f} s")
    say("{} passed, {} failed, {} skipped".format(*totals))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
