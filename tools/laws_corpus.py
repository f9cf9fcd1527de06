"""Checks the laws of the bytecode model on every code object of the running Python's standard library, tests included.

    python tools/laws_corpus.py [--sample N] [--quiet] [PATH ...]

Prints how many code objects pass, and what is wrong with the others; exits with 1 if there are any.
"""

from __future__ import annotations

import argparse
import os
import sys
import sysconfig
import time
import warnings
from types import CodeType
from typing import Dict, Iterator, List, Tuple

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from depyf.bytecode import graph_of  # noqa: E402
from depyf.bytecode.dominators import dominators  # noqa: E402
from depyf.bytecode.laws import check  # noqa: E402
from depyf.errors import DecompilationError  # noqa: E402


def sources(paths: List[str]) -> List[str]:
    """All Python files below the paths, in a stable order."""
    found = []
    for path in paths:
        if os.path.isfile(path):
            found.append(path)
        for folder, folders, files in os.walk(path):
            folders[:] = sorted(name for name in folders if name not in ("site-packages", "__pycache__"))
            found.extend(os.path.join(folder, name) for name in sorted(files) if name.endswith(".py"))
    return found


def code_objects(module: CodeType) -> Iterator[CodeType]:
    work = [module]
    while work:
        code = work.pop()
        yield code
        work.extend(const for const in code.co_consts if isinstance(const, CodeType))


def progress(done: int, total: int, start: float) -> None:
    width = 40
    filled = width * done // total
    left = (time.perf_counter() - start) / done * (total - done)
    print(f"\r[{'#' * filled}{'.' * (width - filled)}] {done}/{total} files, {left:4.0f} s left", end="", file=sys.stderr)


def run(files: List[str], quiet: bool) -> Tuple[int, int, int, Dict[str, List[str]]]:
    """Code objects, those that are irreducible, files that do not compile, and failures by message."""
    count = irreducible = broken_files = 0
    failures: Dict[str, List[str]] = {}
    start = time.perf_counter()
    for number, path in enumerate(files, 1):
        try:
            with open(path, "rb") as file:
                module = compile(file.read(), path, "exec", dont_inherit=True)
        except (OSError, SyntaxError, ValueError, RecursionError):
            broken_files += 1  # the test packages hold files that are not meant to compile, and dead links
            continue
        for code in code_objects(module):
            count += 1
            try:
                graph = graph_of(code)
                check(graph)
                irreducible += bool(dominators(graph).irreducible)
            except DecompilationError as error:
                failures.setdefault(error.message, []).append(f"{path}:{code.co_firstlineno}: {error}")
            except Exception as error:  # whatever else comes out is a bug of ours, and the run should show all of them
                failures.setdefault(repr(error), []).append(f"{path}:{code.co_firstlineno}: {code.co_name}")
        if not quiet and (number % 20 == 0 or number == len(files)):
            progress(number, len(files), start)
    if not quiet:
        print(file=sys.stderr)
    return count, irreducible, broken_files, failures


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("paths", nargs="*", help="files or folders instead of the standard library")
    parser.add_argument("--sample", type=int, default=1, metavar="N", help="only every N-th file")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    files = sources(options.paths or [sysconfig.get_paths()["stdlib"]])[:: options.sample]
    count, irreducible, broken_files, failures = run(files, options.quiet)
    bad = sum(map(len, failures.values()))
    version = ".".join(map(str, sys.version_info[:3]))
    share = 100 * (count - bad) / count if count else 0.0
    print(
        f"CPython {version}: {count - bad} of {count} code objects pass the laws ({share:.3f} %), {irreducible} irreducible; "
        f"{len(files)} files, of which {broken_files} do not compile"
    )
    for message, places in sorted(failures.items(), key=lambda item: -len(item[1])):
        print(f"  {len(places)} x {message}\n      first: {places[0]}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
