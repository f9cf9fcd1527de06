"""Behaviour: the standard library's own tests of a module, run once as it is and once with its decompiled text in its place.

The text goes into a folder that precedes the standard library on the path, so whatever imports the module gets it. Both runs
must have the same outcome for each test; a test that fails with the original, too, says nothing about the decompiler.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Dict, Iterator, List, NamedTuple, Optional, Tuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if ROOT not in sys.path:  # started as a file, not with -m
    sys.path.insert(0, ROOT)

from tools.progress import progress, table  # noqa: E402

SUBJECTS = {  # module or package -> the tests of it; those that a version does not have are left out
    "textwrap": ["test_textwrap"],
    "heapq": ["test_heapq"],
    "json": ["test_json"],
    "argparse": ["test_argparse"],
    "configparser": ["test_configparser"],
    "difflib": ["test_difflib"],
    "collections": ["test_collections", "test_ordered_dict", "test_userdict", "test_userlist", "test_defaultdict"],
    "dataclasses": ["test_dataclasses"],
    "asyncio": ["test_asyncio.test_queues", "test_asyncio.test_locks", "test_asyncio.test_tasks", "test_asyncio.test_taskgroups"],
    "enum": ["test_enum"],
    "functools": ["test_functools"],
    "contextlib": ["test_contextlib", "test_contextlib_async"],
    "fractions": ["test_fractions"],
    "statistics": ["test_statistics"],
    "string": ["test_string"],
    "bisect": ["test_bisect"],
    "shlex": ["test_shlex"],
    "csv": ["test_csv"],
    "ast": ["test_unparse"],
    "html": ["test_html", "test_htmlparser"],
    "pprint": ["test_pprint"],
    "typing": ["test_typing"],
    "tokenize": ["test_tokenize"],
    "graphlib": ["test_graphlib"],
    "copy": ["test_copy"],
    "_pydecimal": ["test_decimal"],
}
OUTCOME = re.compile(r"^(.+?) \.\.\. (?:.*?)(ok|FAIL|ERROR|skipped .*|expected failure|unexpected success)$", re.M)


class Comparison(NamedTuple):
    """One set of tests, run twice."""

    subject: str
    tests: str
    ran: int
    failing_before: int
    changed: List[str]  # tests whose outcome the decompiled text changed, or why it did not run

    @property
    def agrees(self) -> bool:
        return self.ran > 0 and not self.changed


def files_of(subject: str) -> List[Tuple[str, Path]]:
    """The source files of a module or of a whole package, each with its place relative to the library's root."""
    spec = importlib.util.find_spec(subject)
    if spec is None or not spec.origin or not spec.origin.endswith(".py"):
        return []
    origin = Path(spec.origin)
    if origin.name != "__init__.py":
        return [(origin.name, origin)]
    root = origin.parent.parent
    return [(str(path.relative_to(root)), path) for path in sorted(origin.parent.rglob("*.py"))]


def write_decompiled(subject: str, folder: Path) -> Optional[str]:
    """Put the decompiled text of a subject into a folder; the reason if a file of it is not proven."""
    from depyf import Decompiler

    for place, path in files_of(subject):
        decompiler = Decompiler(compile(path.read_bytes(), str(path), "exec", dont_inherit=True))
        text = decompiler.decompile(verify=True)
        if not decompiler.verdict:
            return f"{place}: {decompiler.verdict}"
        target = folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return None


def run_tests(tests: str, ahead: Optional[Path], seconds: float) -> Dict[str, str]:
    """The outcome of each test, by name. What unittest could not even load is an outcome, too."""
    environment = dict(os.environ, PYTHONHASHSEED="0", PYTHONDONTWRITEBYTECODE="1", COLUMNS="80")
    environment.pop("PYTHONPATH", None)
    if ahead is not None:
        environment["PYTHONPATH"] = str(ahead)
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-X", "frozen_modules=off", "-m", "unittest", "-v", f"test.{tests}"]
        try:
            done = subprocess.run(
                command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE, timeout=seconds, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return {"(all)": f"no end after {seconds:.0f} s"}
    log = done.stderr.decode("utf-8", "replace")
    found = {name: outcome.split()[0] for name, outcome in OUTCOME.findall(log)}
    return found or {"(all)": log.strip().splitlines()[-1] if log.strip() else f"exit status {done.returncode}"}


def compare(subject: str, tests: str, folder: Path, seconds: float) -> Comparison:
    before, after = run_tests(tests, None, seconds), run_tests(tests, folder, seconds)
    changed = [
        f"{name}: {before.get(name, 'not there')} -> {after.get(name, 'not there')}"
        for name in sorted(set(before) | set(after))
        if before.get(name) != after.get(name)
    ]
    failing = sum(outcome in ("FAIL", "ERROR") for outcome in before.values())
    ran = sum(outcome in ("ok", "FAIL", "ERROR", "expected") for outcome in before.values())
    return Comparison(subject, tests, ran, failing, changed)


def has_tests(tests: str) -> bool:
    try:
        return importlib.util.find_spec(f"test.{tests}") is not None
    except ImportError:
        return False


def comparisons(subjects: List[str], seconds: float) -> Iterator[Comparison]:
    for subject in subjects:
        sets = [tests for tests in SUBJECTS[subject] if has_tests(tests)]
        with tempfile.TemporaryDirectory() as name:
            reason = write_decompiled(subject, Path(name)) if sets and files_of(subject) else None
            for tests in sets:
                if reason is not None:
                    yield Comparison(subject, tests, 0, 0, [reason])
                else:
                    yield compare(subject, tests, Path(name), seconds)


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="behaviour", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("subjects", nargs="*", metavar="MODULE", help=f"of {', '.join(SUBJECTS)}; all of them if none is named")
    parser.add_argument("--timeout", type=float, default=300, metavar="SECONDS", help="for one run of one set of tests")
    given = parser.parse_args(arguments)
    unknown = [name for name in given.subjects if name not in SUBJECTS]
    if unknown:
        parser.error(f"no tests are known for {', '.join(unknown)}")
    subjects = given.subjects or [name for name in SUBJECTS if files_of(name)]
    found = list(progress(comparisons(subjects, given.timeout), sum(len(SUBJECTS[s]) for s in subjects), "behaviour"))
    version = ".".join(map(str, sys.version_info[:2]))
    rows = [
        (one.subject, one.tests, f"{one.ran:,}", str(one.failing_before), "same" if one.agrees else f"{len(one.changed)} CHANGED")
        for one in found
    ]
    print(table((version, "tests", "ran", "failing before", "with the decompiled text"), rows))
    for one in found:
        for line in one.changed:
            print(f"{one.subject} / {one.tests}: {line}")
    return 0 if found and all(one.agrees for one in found) else 1


if __name__ == "__main__":
    sys.exit(main())
