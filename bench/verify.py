"""What the proof costs: over the standard library, as a ratio to compile(), and on functions that grow.

`python bench/verify.py [--sample N] [--walk]`. The pairs are each module and its re-laid self (tools.relaid), then each
function and its spilled self (tools.spiller), which always takes the full walk. `--walk` forces the walk for all.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import time
import types
from typing import Any, Callable, Dict, List, Tuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)

from depyf import verify  # noqa: E402
from depyf.proof import prove  # noqa: E402
from tools.progress import progress, table  # noqa: E402
from tools.relaid import default_method, relay  # noqa: E402
from tools.sources import choose, compile_text, nested, stdlib_files  # noqa: E402
from tools.spiller import spill  # noqa: E402

SIZES = (500, 1000, 2000, 4000)
ROUNDS = 7


def straight(count: int) -> str:
    return "".join(f"    x{i % 50} = g(x{(i + 7) % 50}, {i}) + x{(i + 1) % 50}.a[{i}]\n" for i in range(count))


def names(count: int) -> str:
    return "".join(f"    y{i} = g(y{max(0, i - 1)}, {i})\n" for i in range(count))


def ifs(count: int) -> str:
    return "".join(f"    if x{i % 50} > {i}:\n        x{(i + 1) % 50} = g(x{i % 50})\n" for i in range(count // 2))


def loops(count: int) -> str:
    return "".join(f"    for x{i % 50} in g({i}):\n        x{(i + 1) % 50} = h(x{i % 50})\n" for i in range(count // 2))


def tries(count: int) -> str:
    body = "    try:\n        x{0} = g({2})\n    except E as e:\n        x{1} = h(e)\n"
    return "".join(body.format(i % 50, (i + 1) % 50, i) for i in range(count // 4))


def one_try(count: int) -> str:
    lines = "".join(f"        y{i} = g(x{i % 50}, {i})\n" for i in range(count))
    return f"    try:\n{lines}    except E:\n        return x1, y5\n"


def guards(count: int) -> str:
    return "".join(f"    if x{i % 50}.a: return {i}\n" for i in range(count))


SHAPES: Dict[str, Callable[[int], str]] = {
    "straight lines": straight,
    "a name for each line": names,
    "ifs": ifs,
    "early returns": guards,
    "loops": loops,
    "tries": tries,
    "one long try": one_try,
}


def function(shape: Callable[[int], str], count: int) -> types.CodeType:
    parameters = ", ".join(f"x{i}" for i in range(50))
    module = compile_text(f"def f({parameters}, y0):\n{shape(count)}", "<bench>")
    return next(nested(module)).code


def seconds(work: Callable[[], Any], times: int = 5) -> float:
    """The best of a few runs, in processor time and without the garbage collector, as timeit does it."""
    best = float("inf")
    gc.collect()
    gc.disable()
    try:
        for _ in range(times):
            start = time.process_time()
            work()
            best = min(best, time.process_time() - start)
    finally:
        gc.enable()
    return best


def prove_equal(code: Any, other: Any) -> None:
    verdict = verify(code, other)
    assert verdict, verdict


def growth() -> None:
    """Every function against its spilled self, so that the walk is measured and not the short way."""
    rows = []
    for name, shape in SHAPES.items():
        row: List[Any] = [name]
        pairs = [(code, spill(code)) for code in (function(shape, size) for size in SIZES)]
        spent = [float("inf")] * len(pairs)
        for _ in range(ROUNDS):  # in turns, so that a slow moment of the machine is not one size's alone
            for index, (code, other) in enumerate(pairs):
                spent[index] = min(spent[index], seconds(lambda code=code, other=other: prove_equal(code, other), 1))  # type: ignore[misc]
        row += [f"{value:.3f} s" for value in spent]
        row += [f"{after / before:.2f}x" for before, after in zip(spent, spent[1:])]
        rows.append(row)
    doublings = [f"{before} -> {after}" for before, after in zip(SIZES, SIZES[1:])]
    print(table(("", *[f"{size:,}" for size in SIZES], *doublings), rows))


def library(sample: int, seed: int) -> List[Tuple[str, float, float, int]]:
    """(what, seconds of compile(), seconds of verify(), pairs) over the standard library."""
    compiling = proving = spilled = 0.0
    modules = functions = 0
    for source in progress(choose(stdlib_files(), sample or None, seed), label="verify"):
        both = relay(source, default_method())
        if both is None:
            continue
        text = source.read()
        start = time.process_time()
        compile_text(text, source.path)
        compiling += time.process_time() - start
        start = time.process_time()
        verify(*both)
        proving += time.process_time() - start
        modules += 1
        pairs = [(item.code, spill(item.code)) for item in nested(both[0])]
        functions += len(pairs)
        start = time.process_time()
        for first, second in pairs:
            verify(first, second)
        spilled += time.process_time() - start
    return [("modules, re-laid", compiling, proving, modules), ("functions, spilled", compiling, spilled, functions)]


def main() -> int:
    it = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    it.add_argument("--sample", type=int, default=0, help="modules chosen at random; 0 means all")
    it.add_argument("--seed", type=int, default=0)
    it.add_argument("--walk", action="store_true", help="never take the short way for graphs that are the same")
    it.add_argument("--no-growth", action="store_true")
    options = it.parse_args()
    sys.setrecursionlimit(6000)
    if options.walk:
        for name in ("same_bytes", "same_graphs"):
            setattr(prove, name, lambda first, second: None)
    print("Python {}.{}".format(*sys.version_info[:2]))
    rows = [
        [what, count, f"{compiling:.2f} s", f"{proving:.2f} s", f"{proving / compiling:.1f}x"]
        for what, compiling, proving, count in library(options.sample, options.seed)
    ]
    print(table(("", "pairs", "compile()", "verify()", "ratio"), rows))
    if not options.no_growth:
        print()
        growth()
    return 0


if __name__ == "__main__":
    sys.exit(main())
