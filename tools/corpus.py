"""The round trip over a whole corpus: decompile, compile, prove; counted by module and by function.

Runs over the standard library of the interpreter that runs it, or (--all) of every CPython found on the machine;
`--tests` takes the standard library's tests instead, `--folder` any folder of Python files, such as site-packages.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if ROOT not in sys.path:  # started as a file, not with -m
    sys.path.insert(0, ROOT)

from tools.progress import percent, progress, table  # noqa: E402
from tools.readability import Readability, measure, report  # noqa: E402
from tools.roundtrip import EQUAL, STATUSES, ModuleResult, reason_class, round_trip  # noqa: E402
from tools.sources import Source, choose, folder_files, stdlib_files  # noqa: E402

HEADER = ("", "modules", "EQUAL", "share", "functions") + STATUSES + ("share", "seconds", "x compile")


class Job(NamedTuple):
    """One file to do, with the options that matter in the worker."""

    source: Source
    timeout: float
    readability: bool


def _work(job: Job) -> Tuple[Optional[ModuleResult], Optional[Readability]]:
    sys.setrecursionlimit(10000)  # the compiler's own limit on nesting is what should matter, not this tool's stack
    result = round_trip(job.source, job.timeout, keep_code=job.readability)
    if result is None or not job.readability:
        return result, None
    try:
        readable = measure(result.name, job.source.read(), result.text, result.original, result.recompiled)
    except RecursionError:
        readable = None
    return result._replace(original=None, recompiled=None), readable


def run(jobs: List[Job], processes: int, label: str) -> Iterator[Tuple[Optional[ModuleResult], Optional[Readability]]]:
    """Results as they come; in this process if one is enough."""
    if processes <= 1:
        yield from progress(map(_work, jobs), len(jobs), label)
        return
    with multiprocessing.Pool(processes, maxtasksperchild=50) as pool:
        yield from progress(pool.imap_unordered(_work, jobs, chunksize=4), len(jobs), label)


def select(options: argparse.Namespace) -> List[Source]:
    """The files the options name."""
    if options.folder:
        sources = folder_files(options.folder)
    else:
        sources = stdlib_files("all" if options.with_tests else "tests" if options.tests else "library")
    if options.module:
        wanted = tuple(options.module)
        sources = [s for s in sources if s.name in wanted or s.name.startswith(tuple(f"{name}." for name in wanted))]
        if options.exact:
            sources = [s for s in sources if s.name in wanted]
        if not sources:
            sys.exit(f"no module named {', '.join(wanted)} among the sources")
    return choose(sources, options.sample, options.seed)


def failures(result: ModuleResult) -> Iterator[Dict[str, str]]:
    """What is not EQUAL in a module, as plain data."""
    for outcome in [result.module] + result.classes + result.functions:
        if outcome.status != EQUAL:
            yield {"module": result.name, "path": result.path, "qualname": outcome.qualname,
                   "status": outcome.status, "reason": outcome.reason}  # fmt: skip


def row(label: str, results: List[ModuleResult]) -> List[Any]:
    """One line of the table."""
    functions = [outcome for result in results for outcome in result.functions]
    counts = Counter(outcome.status for outcome in functions)
    modules = sum(result.module.status == EQUAL for result in results)
    spent, compiling = sum(r.seconds for r in results), sum(r.compile_seconds for r in results)
    figures: List[Any] = [label, len(results), modules, percent(modules, len(results)), len(functions)]
    figures += [counts[status] for status in STATUSES]
    return figures + [percent(counts[EQUAL], len(functions)), f"{spent:.1f}", f"{spent / max(compiling, 1e-9):.1f}"]


def reasons(results: List[ModuleResult], limit: int) -> str:
    """The commonest reasons for what is not EQUAL, with one example each."""
    lines = []
    for title, pick in (("modules", lambda r: [r.module]), ("functions", lambda r: r.functions)):
        seen: Dict[str, List[str]] = {}
        for result in results:
            for outcome in pick(result):
                if outcome.status != EQUAL:
                    key = f"{outcome.status}  {reason_class(outcome.reason)}"
                    seen.setdefault(key, []).append(f"{result.name}:{outcome.qualname}")
        for key, places in sorted(seen.items(), key=lambda item: -len(item[1]))[:limit]:
            lines.append(f"{len(places):6,} {title}  {key}   e.g. {', '.join(places[:2])}")
    return "\n".join(lines)


def one_interpreter(options: argparse.Namespace) -> Tuple[List[Any], int]:
    """The whole job under the running interpreter: prints its reasons, returns its row of the table."""
    version = "{}.{}".format(*sys.version_info[:2])
    jobs = [Job(source, options.timeout, options.readability) for source in select(options)]
    results: List[ModuleResult] = []
    readable: List[Readability] = []
    skipped = 0
    start = time.monotonic()
    for result, measured in run(jobs, options.jobs, version):
        if result is None:
            skipped += 1
            continue
        results.append(result._replace(text=None))
        if measured is not None:
            readable.append(measured)
    results.sort(key=lambda result: result.name)
    if options.failures:
        with open(options.failures, "a" if options.append else "w", encoding="utf-8") as file:
            for result in results:
                for failure in failures(result):
                    file.write(json.dumps(dict(failure, version=version)) + "\n")
    print(reasons(results, options.reasons))
    if options.readability:
        readable.sort(key=lambda result: result.differences[0].module if result.differences else "")
        print(report(readable, options.reasons, options.examples))
    wrong = sum(outcome.reason.find(": raised ") >= 0 for r in results for outcome in [r.module] + r.functions)
    if wrong:
        print(f"{wrong} raised something other than DecompilationError")
    print(f"{version}: {skipped} files do not compile under it; {time.monotonic() - start:.0f} s", flush=True)
    bad = sum(outcome.status != EQUAL for r in results for outcome in [r.module] + r.functions)
    return row(version, results), bad


def every_interpreter(arguments: List[str]) -> Tuple[List[List[Any]], int]:
    """Start this tool under each CPython found, and gather the rows."""
    from tools.interpreters import best_by_version, find_all

    rows, bad = [], 0
    for interpreter in best_by_version(find_all()).values():
        with tempfile.TemporaryDirectory() as folder:
            answer = os.path.join(folder, "row.json")
            command = [interpreter.path, os.path.abspath(__file__), *arguments, "--row", answer, "--append"]
            environment = dict(os.environ, PYTHONPATH=ROOT + os.pathsep + os.environ.get("PYTHONPATH", ""))
            subprocess.run(command, env=environment, check=False)
            if os.path.exists(answer):
                with open(answer, encoding="utf-8") as file:
                    line, failed = json.load(file)
                rows.append(line)
                bad += failed
            else:
                rows.append([interpreter.short] + ["-"] * (len(HEADER) - 1))
                bad += 1
    return rows, bad


def parser() -> argparse.ArgumentParser:
    """The command line."""
    it = argparse.ArgumentParser(prog="corpus", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    it.add_argument("--all", action="store_true", help="under every CPython 3.8 ... 3.15 found on this machine")
    it.add_argument("--tests", action="store_true", help="the standard library's tests, instead of the library")
    it.add_argument("--with-tests", action="store_true", help="the standard library and its tests")
    it.add_argument("--folder", "--site-packages", metavar="DIR", help="every .py file under a folder instead")
    it.add_argument("--module", action="append", metavar="NAME", help="only this module or package; may be repeated")
    it.add_argument("--exact", action="store_true", help="with --module: not what is inside the package")
    it.add_argument("--sample", type=int, metavar="N", help="N modules chosen at random")
    it.add_argument("--seed", type=int, default=0, help="for --sample")
    it.add_argument("--jobs", type=int, default=1, metavar="N", help="processes at a time")
    it.add_argument("--timeout", type=float, default=60.0, metavar="SECONDS", help="for one step on one code object")
    it.add_argument("--failures", metavar="FILE", help="write what is not EQUAL as JSON lines")
    it.add_argument("--reasons", type=int, default=10, metavar="N", help="how many reasons and differences to print")
    it.add_argument("--readability", action="store_true", help="compare the text's AST with the source's as well")
    it.add_argument("--examples", type=int, default=2, metavar="N", help="examples for each kind of difference")
    it.add_argument("--check", action="store_true", help="exit with 1 if anything is not EQUAL")
    it.add_argument("--row", help=argparse.SUPPRESS)
    it.add_argument("--append", action="store_true", help=argparse.SUPPRESS)
    return it


def main(arguments: Optional[List[str]] = None) -> int:
    given = sys.argv[1:] if arguments is None else arguments
    options = parser().parse_args(given)
    if options.all:
        if options.failures and os.path.exists(options.failures):
            os.remove(options.failures)
        rows, bad = every_interpreter([argument for argument in given if argument not in ("--all", "--check")])
    else:
        line, bad = one_interpreter(options)
        rows = [line]
        if options.row:
            with open(options.row, "w", encoding="utf-8") as file:
                json.dump([line, bad], file)
            return 0
    print(table(HEADER, rows))
    return 1 if bad and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
