"""The command `depyf`, also `python -m depyf`: decompile files, modules, functions and folders, and prove the result.

Text goes to stdout, or with -o to files; all else goes to stderr. Targets are independent: a failure is reported, the
rest goes on, and the exit status is 1 in the end.
"""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from pathlib import Path
from typing import List, NamedTuple, Optional, Sequence, TextIO

from depyf import __version__
from depyf.targets import Source, TargetError, find_sources

_DESCRIPTION = "Decompile CPython bytecode to Python source, and prove that the source is equal to it."

_EPILOG = """\
a TARGET is one of
  path/to/file.py           compiled by the running Python, then decompiled
  path/to/file.pyc          of the running Python's version
  package.module            found as import finds it, but not run
  package.module:function   the module is imported; package.module:Class.method works too
  path/to/folder            every .py below it, and every .pyc without its .py

examples
  depyf textwrap:dedent
  depyf --verify json.decoder
  depyf --verify -o decompiled/ src/

The exit status is 0 if everything was decompiled (and, with --verify, proven EQUAL), 1 if anything failed, and 2 if
the command line was wrong."""


class Outcome(NamedTuple):
    """What became of one source: its text and verdict, or what went wrong."""

    text: Optional[str]
    verdict: Optional[str]  # None when not asked for
    problem: Optional[str]


class Progress:
    """A bar on stderr, shown only when that is a terminal and there is something to wait for."""

    def __init__(self, total: int, stream: TextIO, shown: bool) -> None:
        self.total = total
        self.stream = stream
        self.shown = shown and total > 1 and stream.isatty()
        self.width = 0

    def show(self, done: int, failed: int, name: str) -> None:
        if self.shown:
            filled = 30 * done // self.total
            failures = f", {failed} failed" if failed else ""
            line = f"[{'#' * filled}{'.' * (30 - filled)}] {done}/{self.total}{failures}  {name}"[:110]
            self.stream.write("\r" + line.ljust(self.width))
            self.stream.flush()
            self.width = len(line)

    def clear(self) -> None:
        """Make room for a line of text; the bar comes back with the next step."""
        if self.shown and self.width:
            self.stream.write("\r" + " " * self.width + "\r")
            self.stream.flush()
            self.width = 0


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="depyf",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("targets", metavar="TARGET", nargs="+", help="what to decompile, see below")
    parser.add_argument("--verify", action="store_true", help="prove each result, and print the verdict")
    parser.add_argument(
        "-o",
        "--output",
        metavar="PATH",
        help="write files: PATH is a file if it ends in .py and there is one thing to decompile, else a folder",
    )
    parser.add_argument("--annotations", action="store_true", help="show the annotations of a function too")
    parser.add_argument("--indent", type=int, default=4, metavar="N", help="spaces a level (4)")
    parser.add_argument("--traceback", action="store_true", help="show where an error came from, for a bug report")
    parser.add_argument("--version", action="version", version=f"depyf {__version__}")
    return parser


def process(source: Source, given: argparse.Namespace) -> Outcome:
    """Load, decompile and, if asked, prove one source. Never raises."""
    from depyf.decompiler import Decompiler
    from depyf.errors import DecompilationError

    try:
        decompiler = Decompiler(source.load())
        text = decompiler.decompile(indentation=given.indent, verify=given.verify, annotations=given.annotations)
        verdict = decompiler.verdict
    except TargetError as error:
        return Outcome(None, None, str(error))
    except (DecompilationError, TypeError) as error:  # TypeError: the object has no bytecode
        problem = f"cannot decompile: {error}"
    except Exception as error:  # a defect of depyf must not take the other targets with it
        problem = f"internal error, please report it: {type(error).__name__}: {error}"
    else:
        if not text.endswith("\n"):
            text += "\n"
        if verdict is None:
            return Outcome(text, None, None)
        return Outcome(text, str(verdict), None if verdict else "not proven equal")
    if given.traceback:
        problem += "\n" + traceback.format_exc()
    return Outcome(None, None, problem)


def write_output(path: Path, text: str) -> None:
    """Write a file whole: aside first, then renamed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        # a lone surrogate in a name or string must not lose the whole file
        aside.write_text(text, encoding="utf-8", errors="backslashreplace")
        os.replace(str(aside), str(path))
    except OSError:
        if aside.exists():
            aside.unlink()
        raise


def output_path(output: str, source: Source, only: bool) -> Path:
    path = Path(output)
    if only and path.suffix == ".py" and not path.is_dir():
        return path
    return path / source.output


def save(output: str, source: Source, text: str, only: bool) -> Optional[str]:
    """Write one result under -o; returns what went wrong, if anything."""
    path = output_path(output, source, only)
    if path.exists() and os.path.exists(source.name) and os.path.samefile(str(path), source.name):
        return f"would overwrite its own source {path}; give -o another place"
    try:
        write_output(path, text)
    except OSError as error:
        return f"cannot write {path}: {error.strerror or error}"
    return None


def gather(targets: Sequence[str]) -> List[Source]:
    """The sources of all targets; a target that stands for nothing becomes a source that says so when loaded."""
    sources: List[Source] = []
    for target in targets:
        try:
            sources.extend(find_sources(target))
        except TargetError as error:
            sources.append(_broken(target, error))
    return sources


def _broken(target: str, error: TargetError) -> Source:
    def load() -> object:
        raise error

    return Source(target, "", load)


def show(source: Source, outcome: Outcome, to_stdout: bool, many: bool) -> None:
    """Print what belongs on stdout: the text under a comment that names it, or the verdict alone."""
    if to_stdout and outcome.text is not None:
        if many or outcome.verdict is not None:
            summary = f": {outcome.verdict}" if outcome.verdict is not None else ""
            print("\n".join("# " + line for line in f"{source.name}{summary}".splitlines()))
        print(outcome.text)
    elif outcome.verdict is not None:
        print(f"{source.name}: {outcome.verdict}")


def run(given: argparse.Namespace) -> int:
    sources = gather(given.targets)
    to_stdout = given.output is None
    progress = Progress(len(sources), sys.stderr, shown=not (to_stdout and sys.stdout.isatty()))
    failed = 0
    for done, source in enumerate(sources):
        progress.show(done, failed, source.name)
        outcome = process(source, given)
        problem = outcome.problem
        if outcome.text is not None and not to_stdout:
            problem = save(given.output, source, outcome.text, len(sources) == 1) or problem
        if problem is not None or outcome.verdict is not None or to_stdout:
            progress.clear()
        show(source, outcome, to_stdout, len(sources) > 1)
        if problem is not None:
            failed += 1
            sys.stdout.flush()
            print(f"depyf: {source.name}: {problem}", file=sys.stderr)
    progress.clear()
    if len(sources) > 1 and (failed or not to_stdout):
        print(f"depyf: {len(sources) - failed} of {len(sources)} done, {failed} failed", file=sys.stderr)
    return 1 if failed else 0


def main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = build_parser()
    given = parser.parse_args(arguments)
    if given.indent < 1:
        parser.error("--indent must be at least 1")
    if "" not in sys.path and os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())  # modules of the current folder, as with python -m
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")
    try:
        status = run(given)
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        # the reader (head, less) has enough: point stdout elsewhere so that the interpreter's exit does not complain
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        print("depyf: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
