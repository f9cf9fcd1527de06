"""The runner behind `make matrix`: depyf on every PyTorch release from 2.2 to the newest, and every CPython.

For each row of PLAN: is there room on the disk; PyTorch installed in an environment of its own; the headline examples and
PyTorch's tests; the environment removed. Each finished row is kept in docs/compatibility/, so a run that was stopped
resumes, in another checkout too; docs/compatibility.md is written from the rows after each. Standard library only. It
needs an hour or more.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Dict, List, Optional, Sequence, Tuple

from tools import matrix_lean, matrix_page
from tools.environments import LOGS, ROOT, TEST_REQUIREMENTS, TORCH_EXTRAS, VENVS, SetupError, ensure
from tools.interpreters import Interpreter, best_by_version, find_all, parse_minor
from tools.matrix_rows import Row, Rows, examine
from tools.processes import Interrupted, Processes

# A CPython that each release has wheels for and compiles on; every CPython is used at least once.
PLAN: List[Tuple[str, str]] = [
    ("2.2.2", "3.8"),
    ("2.3.1", "3.9"),
    ("2.4.1", "3.12"),
    ("2.5.1", "3.9"),
    ("2.6.0", "3.13"),
    ("2.7.1", "3.12"),
    ("2.8.0", "3.9"),
    ("2.9.1", "3.10"),
    ("2.10.0", "3.14"),
    ("2.11.0", "3.12"),
    ("2.12.1", "3.13"),
    ("2.13.0", "3.11"),
    ("2.14.1", "3.10"),
    ("2.15.0", "3.14"),
    ("2.15.0", "3.15"),
]
ROOM = 9 * 1024**3  # bytes: an environment with its CUDA packages, and what pip unpacks on the way
ROWS = ROOT / "docs" / "compatibility"


class NoRoom(Exception):
    """There is not enough room on the disk for another environment."""


def key_of(release: str, python: str) -> str:
    return f"{release}-{python}"


def numbers(release: str) -> Tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", release)[:3])


def requirements_for(release: str) -> List[str]:
    """What the tests need besides PyTorch. Releases before 2.3 were built for NumPy 1."""
    extras = [name for name in TORCH_EXTRAS if name != "numpy"]
    return [*TEST_REQUIREMENTS, *extras, "numpy <2" if numbers(release) < (2, 3) else "numpy", "setuptools"]


def select(plan: Sequence[Tuple[str, str]], asked: Sequence[str]) -> List[Tuple[str, str]]:
    """The rows to run, in the order asked for: '2.5.1' is each of its rows, '2.5.1@3.11' may be a row that no plan has."""
    chosen: List[Tuple[str, str]] = []
    for name in asked:
        release, _, python = name.partition("@")
        rows = [(release, python)] if python else [row for row in plan if row[0] == release]
        if not rows:
            raise SystemExit(f"matrix: {name} is not in the plan; RELEASE@PYTHON names a row that is not")
        chosen += [row for row in rows if row not in chosen]
    return chosen if asked else list(plan)


def check_room(folder: Path, needed: int = ROOM) -> None:
    free = shutil.disk_usage(str(folder)).free
    if free < needed:
        raise NoRoom(f"{free / 1e9:.1f} GB are free and an environment needs {needed / 1e9:.1f} GB: make room, then run it again")


def install(row: Row, interpreter: Interpreter, lenders: Sequence[Path] = ()) -> Path:
    """The Python of a new environment with this release; in full, unless it can have the CUDA libraries of others."""
    started = time.time()
    name, wanted = f"matrix-{key_of(row.release, row.python)}", requirements_for(row.release)
    if not (VENVS / name).is_dir():
        check_room(VENVS)
    python = None
    if lenders and not (VENVS / name / "depyf-stamp.json").is_file():  # unless it is there already, in full
        try:
            python = matrix_lean.ensure(name, interpreter, row.release, wanted, lenders)
            row.borrowed = any(link.is_symlink() for link in (VENVS / name).glob("**/site-packages/nvidia"))
        except SetupError as error:
            say(f"    {error}: installing it in full")
    if python is None:
        python = ensure(name, interpreter, wanted, alternatives=[f"torch =={row.release}"])
    row.seconds["install"] = time.time() - started
    return python


def remove(row: Row) -> None:
    for folder in (VENVS / f"matrix-{key_of(row.release, row.python)}", VENVS / "cache" / f"matrix-{key_of(row.release, row.python)}"):
        shutil.rmtree(str(folder), ignore_errors=True)


class Matrix:
    """One run over some rows."""

    def __init__(self, options: argparse.Namespace, rows: Rows) -> None:
        self.options = options
        self.rows = rows
        self.processes = Processes()
        self.interpreters: Dict[Tuple[int, int], Interpreter] = best_by_version(find_all())

    def wanted(self) -> List[Row]:
        """Rows that have not been run, or whose run failed, or all with --again."""
        found: List[Row] = []
        for release, python in select(PLAN, self.options.only):
            known = self.rows.read(key_of(release, python))
            if known is not None and known.ok and known.complete(self.options.tests) and not self.options.again:
                say(f"{release} on {python}: done before")
            else:
                found.append(Row(release, python))
        return found

    def run(self) -> List[Row]:
        rows = self.wanted()
        with ThreadPoolExecutor(max_workers=1) as installer:
            following: Optional[Future[Path]] = None
            for number, row in enumerate(rows):
                being_made = following or installer.submit(self.make, row)
                following = None
                say(f"[{number + 1}/{len(rows)}] PyTorch {row.release} on CPython {row.python}: installing")
                try:
                    python = being_made.result()
                    if self.options.ahead and number + 1 < len(rows):
                        following = installer.submit(self.make, rows[number + 1])
                    examine(row, python, self.processes, self.options.tests, self.options.scripts)
                except (SetupError, NoRoom) as error:
                    row.error = str(error)
                self.finish(row)
                if "make room" in row.error:
                    break
        return rows

    def make(self, row: Row) -> Path:
        minor = parse_minor(row.python)
        if minor not in self.interpreters:
            raise SetupError(f"no CPython {row.python} was found")
        row.interpreter = self.interpreters[minor].full
        return install(row, self.interpreters[minor], self.options.cuda_from)

    def finish(self, row: Row) -> None:
        self.rows.write(key_of(row.release, row.python), row)
        if row.ok or not self.options.keep:
            remove(row)
        matrix_page.write(self.rows.all(), ROOT / "docs" / "compatibility.md")
        say(f"    {row.summary()}")


def say(text: str) -> None:
    line = f"{time.strftime('%H:%M:%S')} {text}"
    print(line, flush=True)
    LOGS.mkdir(parents=True, exist_ok=True)
    with open(str(LOGS / "matrix.log"), "a", encoding="utf-8") as log:
        log.write(line + "\n")


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make matrix", description="depyf on every PyTorch release")
    parser.add_argument("only", nargs="*", help="releases, or RELEASE@PYTHON; all rows of the plan if none is named")
    parser.add_argument("--again", action="store_true", help="run rows again that were run before")
    parser.add_argument("--keep", action="store_true", help="keep the environment of a row that failed")
    parser.add_argument("--ahead", action="store_true", help="install the next release while one is tested")
    parser.add_argument(
        "--cuda-from", type=Path, action="append", default=[], help="an environment whose CUDA libraries may be used (repeatable)"
    )
    parser.add_argument("--no-tests", dest="tests", action="store_false", help="the headline examples only")
    parser.add_argument("--scripts", type=Path, help="a folder of programs that must run without an error")
    parser.add_argument("--page", action="store_true", help="only write docs/compatibility.md from the rows there are")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str]) -> int:
    options = parse(arguments)
    rows = Rows(ROWS)
    if options.page:
        matrix_page.write(rows.all(), ROOT / "docs" / "compatibility.md")
        return 0
    os.environ.update(PIP_NO_CACHE_DIR="1", PIP_NO_COMPILE="1")  # five gigabytes a release, used once
    VENVS.mkdir(exist_ok=True)
    matrix = Matrix(options, rows)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        ran = matrix.run()
    except (KeyboardInterrupt, Interrupted):
        say("stopped; run it again to go on with the row that was under way")
        return 130
    finally:
        matrix.processes.end_all()
    failed = [key_of(row.release, row.python) for row in ran if not row.ok]
    say(f"{len(ran) - len(failed)} of {len(ran)} rows passed" + (f"; failed: {', '.join(failed)}" if failed else ""))
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
