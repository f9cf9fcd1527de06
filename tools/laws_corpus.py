"""Checks the laws of the bytecode model on every code object of the running Python's standard library, tests included.

    python -m tools.laws_corpus [--sample N] [FILE ...]

Prints how many code objects pass, and what is wrong with the others; exits with 1 if there are any.
"""

from __future__ import annotations

import argparse
import sys
from typing import Dict, List, Tuple

from depyf.bytecode import graph_of
from depyf.bytecode.dominators import dominators
from depyf.bytecode.laws import check
from depyf.errors import DecompilationError
from tools.progress import percent, progress
from tools.sources import Source, choose, compile_source, nested, stdlib_files


def run(sources: List[Source]) -> Tuple[int, int, int, Dict[str, List[str]]]:
    """Code objects, those that are irreducible, files that do not compile, and failures by message."""
    count = irreducible = not_compiled = 0
    failures: Dict[str, List[str]] = {}
    for source in progress(sources, label="laws", always=True):
        module = compile_source(source)
        if module is None:
            not_compiled += 1  # the test packages hold files that are not meant to compile
            continue
        for code in [module, *[item.code for item in nested(module)]]:
            count += 1
            try:
                graph = graph_of(code)
                check(graph)
                irreducible += bool(dominators(graph).irreducible)
            except DecompilationError as error:
                failures.setdefault(error.message, []).append(f"{source.path}:{code.co_firstlineno}: {error}")
            except Exception as error:  # whatever else comes out is a bug of ours, and the run should show all of them
                failures.setdefault(repr(error), []).append(f"{source.path}:{code.co_firstlineno}: {code.co_name}")
    return count, irreducible, not_compiled, failures


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("files", nargs="*", help="Python files instead of the standard library")
    parser.add_argument("--sample", type=int, metavar="N", help="only N files, the same ones each time")
    options = parser.parse_args()
    sources = [Source(path, path) for path in options.files] or stdlib_files("all")
    sources = choose(sources, options.sample, seed=0)
    count, irreducible, not_compiled, failures = run(sources)
    bad = sum(map(len, failures.values()))
    version = ".".join(map(str, sys.version_info[:3]))
    print(
        f"CPython {version}: {count - bad} of {count} code objects pass the laws ({percent(count - bad, count)}), "
        f"{irreducible} irreducible; {len(sources)} files, of which {not_compiled} do not compile"
    )
    for message, places in sorted(failures.items(), key=lambda item: -len(item[1])):
        print(f"  {len(places)} x {message}\n      first: {places[0]}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
