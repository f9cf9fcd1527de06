"""One row of `make matrix`: a PyTorch release on one CPython, what was found on it, and how that is kept.

`examine` runs the headline examples and the tests in an environment that is there already. Rows are JSON files, written
when a row is finished, so that a run can resume.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Dict, List, Optional

from depyf.compatibility.behaviours import BEHAVIOURS
from tools.commits import examined_commit
from tools.environments import LOGS, ROOT, VENVS
from tools.processes import TIMED_OUT, Processes
from tools.results import Result, read_report

HEADLINES = ("prepare_debug, toy", "prepare_debug, two shapes", "debug", "install", "dispatcher")
# It puts an exception into each of the inspector's own functions: about depyf, not about a release, and half of the time.
LEFT_OUT = "tests/torch/inspector/test_faults.py"
HEADLINE_SECONDS, TEST_SECONDS, SCRIPT_SECONDS = 1800.0, 5400.0, 600.0

_FACTS = """
import json, sys, torch
from depyf.compatibility.behaviours import BEHAVIOURS, present
found = {b.name: present(b.name) for b in BEHAVIOURS}
print(json.dumps({"version": torch.__version__, "behaviours": found}))
"""


@dataclass
class Row:
    """What is known of one release on one CPython."""

    release: str
    python: str
    interpreter: str = ""
    version: str = ""
    commit: str = ""
    headlines: Dict[str, str] = field(default_factory=dict)  # 'passed', or why not
    scripts: Dict[str, str] = field(default_factory=dict)
    behaviours: Dict[str, bool] = field(default_factory=dict)
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    tested: bool = False
    failures: List[str] = field(default_factory=list)
    reasons: Dict[str, int] = field(default_factory=dict)
    seconds: Dict[str, float] = field(default_factory=dict)
    error: str = ""
    borrowed: bool = False  # whether the CUDA libraries, which nothing here runs, are those of another environment

    @property
    def headlines_ok(self) -> bool:
        return all(self.headlines.get(name) == "passed" for name in HEADLINES)

    @property
    def wrong_behaviours(self) -> List[str]:
        """Where the table of behaviours has another release than what was seen."""
        release = tuple(int(part) for part in self.release.split(".")[:2])
        return [b.name for b in BEHAVIOURS if self.behaviours.get(b.name, release >= b.since) != (release >= b.since)]

    @property
    def ok(self) -> bool:
        scripts_ok = all(result == "passed" for result in self.scripts.values())
        return not self.error and not self.failed and self.headlines_ok and scripts_ok and not self.wrong_behaviours

    def complete(self, tests: bool) -> bool:
        return self.tested or not tests

    def summary(self) -> str:
        if self.error:
            return f"FAILED: {self.error}"
        bad = [f"{name}: {result}" for name, result in {**self.headlines, **self.scripts}.items() if result != "passed"]
        bad += [f"the table of behaviours is wrong about {name}" for name in self.wrong_behaviours]
        tests = f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped" if self.tested else "tests not run"
        times = ", ".join(f"{what} {seconds:.0f} s" for what, seconds in self.seconds.items())
        return "; ".join(["ok" if self.ok else "FAILED", tests, times, *bad])


class Rows:
    """The rows of earlier runs and this one: a folder of JSON files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self, key: str) -> Optional[Row]:
        try:
            known = json.loads((self.folder / f"{key}.json").read_text(encoding="utf-8"))
            return Row(**{name: value for name, value in known.items() if name in Row.__dataclass_fields__})
        except (OSError, ValueError, TypeError):  # none, half written, or of an older form: it is run again
            return None

    def write(self, key: str, row: Row) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        part = self.folder / f"{key}.part"
        part.write_text(json.dumps(asdict(row), indent=1), encoding="utf-8")
        os.replace(str(part), str(self.folder / f"{key}.json"))

    def all(self) -> List[Row]:
        keys = [path.stem for path in sorted(self.folder.glob("*.json"))]
        return [row for row in map(self.read, keys) if row is not None]


def environment_for(python: Path, name: str) -> Dict[str, str]:
    """Caches of the row's own, and what Inductor needs to compile against this CPython."""
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
    cache = VENVS / "cache" / name
    headers = moved_headers(python, cache / "include")
    if headers is not None:
        environment["CPATH"] = os.pathsep.join(filter(None, [environment.get("CPATH"), str(headers)]))
    environment["TORCHINDUCTOR_CACHE_DIR"] = str(cache / "inductor")
    environment["PYTHONPATH"] = str(ROOT)
    environment["DEPYF_CHECK"] = "1"
    return environment


def moved_headers(python: Path, folder: Path) -> Optional[Path]:
    """For a CPython of a distribution that stands elsewhere than it was built for: a folder to find its pyconfig.h in.

    Its pyconfig.h includes <MULTIARCH/pythonX.Y/pyconfig.h>, which compilers look for where the distribution would have it.
    The folder has that and nothing else: what stands beside it belongs to another C library.
    """
    code = "import sysconfig as s; print(s.get_path('include')); print(s.get_config_var('MULTIARCH') or '')"
    told = subprocess.run([str(python), "-c", code], capture_output=True, text=True, check=True).stdout.splitlines()
    include, multiarch = Path(told[0]), told[1] if len(told) > 1 else ""
    real = include.parent / multiarch / include.name
    if not multiarch or not (real / "pyconfig.h").is_file():
        return None
    link = folder / multiarch / include.name
    link.parent.mkdir(parents=True, exist_ok=True)
    if not link.exists():
        link.symlink_to(real, target_is_directory=True)
    return folder


def examine(row: Row, python: Path, processes: Processes, tests: bool, scripts: Optional[Path]) -> None:
    """Fill a row: facts, headline examples, programs of users, tests."""
    name = f"matrix-{row.release}-{row.python}"
    log = LOGS / f"{name}.log"
    LOGS.mkdir(parents=True, exist_ok=True)
    if log.exists():
        log.unlink()
    environment = environment_for(python, name)
    row.commit = examined_commit()
    facts = subprocess.run(
        [str(python), "-c", _FACTS], capture_output=True, text=True, env=environment, cwd=str(ROOT), timeout=600
    )
    if facts.returncode:
        row.error = "PyTorch does not import: " + (facts.stderr.strip().splitlines() or ["no message"])[-1]
        return
    told = json.loads(facts.stdout.strip().splitlines()[-1])
    row.version, row.behaviours = told["version"], told["behaviours"]
    _headlines(row, python, processes, log, environment)
    if scripts is not None:
        _scripts(row, python, processes, log, environment, scripts)
    if tests:
        _tests(row, python, processes, log, environment)


def _headlines(row: Row, python: Path, processes: Processes, log: Path, environment: Dict[str, str]) -> None:
    started = time.time()
    folder = Path(tempfile.mkdtemp(prefix="depyf-headlines-"))
    try:
        command = [str(python), "-m", "tools.headlines", str(folder)]
        status = processes.run(command, log, HEADLINE_SECONDS, ROOT, environment)
        written = folder / "headlines.json"
        row.headlines = json.loads(written.read_text(encoding="utf-8")) if written.exists() else {}
        ended = "time limit" if status == TIMED_OUT else f"status {status}"
        for name in HEADLINES:
            row.headlines.setdefault(name, f"did not end: {ended}")
    finally:
        shutil.rmtree(str(folder), ignore_errors=True)
    row.seconds["headlines"] = time.time() - started


def _scripts(
    row: Row, python: Path, processes: Processes, log: Path, environment: Dict[str, str], folder: Path
) -> None:
    """Each program of the folder in a folder of its own, unchanged."""
    started = time.time()
    for script in sorted(folder.glob("*.py")):
        place = Path(tempfile.mkdtemp(prefix="depyf-script-"))
        try:
            status = processes.run([str(python), str(script.resolve())], log, SCRIPT_SECONDS, place, environment)
            row.scripts[script.name] = "passed" if status == 0 else f"status {status}"
        finally:
            shutil.rmtree(str(place), ignore_errors=True)
    row.seconds["scripts"] = time.time() - started


def _tests(row: Row, python: Path, processes: Processes, log: Path, environment: Dict[str, str]) -> None:
    started = time.time()
    name = f"matrix-{row.release}-{row.python}"
    report = LOGS / f"{name}.xml"
    if report.exists():
        report.unlink()
    command = [str(python), "-m", "pytest", "tests/torch", "-q", f"--junitxml={report}", f"--ignore={LEFT_OUT}"]
    command += ["-o", f"cache_dir={VENVS / 'cache' / name / 'pytest'}", "-o", "faulthandler_timeout=900"]
    status = processes.run(command, log, TEST_SECONDS, ROOT, environment)
    result = Result(row.release, row.python)
    read_report(report, result)
    row.passed, row.failed, row.skipped = result.passed, result.failed, result.skipped
    row.reasons = dict(result.reasons)
    row.failures = failed_cases(report)
    row.tested = True
    if status == TIMED_OUT or status not in (0, 1) or (status == 1 and not row.failed):
        row.error = "the tests did not end" if status == TIMED_OUT else f"pytest ended with status {status}"
    row.seconds["tests"] = time.time() - started


def failed_cases(report: Path) -> List[str]:
    """The names of the tests that failed, from a JUnit file."""
    try:
        root = ElementTree.parse(str(report)).getroot()
    except (OSError, ElementTree.ParseError):
        return []
    return [
        f"{case.get('classname', '').replace('.', '/')}::{case.get('name')}"
        for case in root.iter("testcase")
        if case.find("failure") is not None or case.find("error") is not None
    ]
