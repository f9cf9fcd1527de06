"""Random programs through the whole round trip: decompile, compile, prove. Mismatches are printed as small cases.

Program number i of a seed is the same on every machine that runs the same CPython version; nothing is executed.
With --generator the programs are those of a package, which has to be installed: see tools/generators.py.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from typing import Dict, Iterator, List, NamedTuple, Optional

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)

from tools.generators import NAMES, Texts, generator, own  # noqa: E402
from tools.minimise import check, minimise, same_failure  # noqa: E402
from tools.progress import percent, progress, table  # noqa: E402
from tools.roundtrip import EQUAL, STATUSES, Outcome, attempt, reason_class  # noqa: E402
from tools.sources import compile_text  # noqa: E402


class Trial(NamedTuple):
    """One program and what became of it; `plainly`: whether it is proven where functions that fail are decompiled plainly."""

    number: int
    text: str
    outcome: Outcome
    plainly: bool = False


def trials(count: int, seed: int, timeout: float = 20.0, texts: Texts = own) -> Iterator[Trial]:
    """`count` programs of a seed."""
    for number, text in enumerate(texts(seed, count)):
        outcome = check(text, timeout)
        yield Trial(number, text, outcome, outcome.status != EQUAL and proven_plainly(text, timeout))


def proven_plainly(text: str, timeout: float) -> bool:
    """What users get who ask for a proven text, of a program whose text is not proven at first."""
    from depyf import decompile

    found, _ = attempt("decompile", lambda: decompile(compile_text(text, "<case>"), verify=True), timeout)
    return found is not None and bool(found.verdict)


def main(arguments: Optional[List[str]] = None) -> int:
    it = argparse.ArgumentParser(prog="random_programs", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    it.add_argument("--count", type=int, default=200)
    it.add_argument("--seed", type=int, default=0)
    it.add_argument("--timeout", type=float, default=20.0, help="seconds for one step of one program")
    it.add_argument("--minimise", type=float, default=20.0, metavar="SECONDS", help="for each kind of failure; 0 to leave it")
    it.add_argument("--kinds", type=int, default=10, help="kinds of failure to print")
    it.add_argument("--generator", choices=NAMES, default="own", help="who makes the programs")
    it.add_argument("--nodes", type=int, default=400, help="about how large a program of pysource-codegen is")
    it.add_argument("--depth", type=int, default=7, help="how deeply it nests")
    options = it.parse_args(arguments)
    texts = generator(options.generator, options.nodes, options.depth)
    start = time.monotonic()
    counts: Dict[str, int] = Counter()
    plainly = 0
    failed: Dict[str, List[Trial]] = {}
    for trial in progress(trials(options.count, options.seed, options.timeout, texts), options.count, "programs"):
        counts[trial.outcome.status] += 1
        plainly += trial.plainly
        if trial.outcome.status != EQUAL:
            failed.setdefault(reason_class(trial.outcome.reason), []).append(trial)
    for some in sorted(failed.values(), key=len, reverse=True)[: options.kinds]:
        smallest = min(some, key=lambda trial: len(trial.text))
        numbers = ", ".join(str(trial.number) for trial in some[:5])
        print(f"# {len(some)} x {smallest.outcome.status}: {smallest.outcome.reason.splitlines()[0]}   (programs {numbers})")
        text = smallest.text
        if options.minimise:
            text = minimise(text, same_failure(smallest.outcome.reason), options.minimise)
        print(text)
    row = ["{}.{}".format(*sys.version_info[:2]), options.count] + [counts[status] for status in STATUSES]
    row += [percent(counts[EQUAL], options.count), plainly, percent(counts[EQUAL] + plainly, options.count)]
    row += [f"{time.monotonic() - start:.0f}"]
    print(table(("", "programs", *STATUSES, "share", "plainly", "proven", "seconds"), [row]))
    return 0 if counts[EQUAL] + plainly == options.count else 1


if __name__ == "__main__":
    sys.exit(main())
