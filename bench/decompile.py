"""What decompiling costs: over the standard library as a ratio to compile(), and how it grows with the size of a function.

Runs under any supported CPython: `python bench/decompile.py`. Prints the ratio, the slowest modules for their size, a table of
growth by shape of code (a doubling should cost at most 2.3 times), and the time for 1,000 straight lines.
"""

from __future__ import annotations

import argparse
import ast
import gc
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
import types
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)

from tools.progress import progress, table  # noqa: E402
from tools.sources import choose, compile_text, stdlib_files  # noqa: E402

DOUBLING = 2.3
ROUNDS = 12
SIZES = (500, 1000, 2000, 4000)
DEPTHS = (25, 50, 100, 200)


def _function(lines: List[str]) -> types.CodeType:
    return compile_text("def f(a, b, c):\n" + "".join(f"    {line}\n" for line in lines), "<bench>")


def straight(size: int) -> types.CodeType:
    return _function([f"a = g(b, {number}) + c.x" for number in range(size)])


def ifs(size: int) -> types.CodeType:
    return _function([line for number in range(size // 2) for line in (f"if a > {number}:", f"    b = c.f({number})")])


def elifs(size: int) -> types.CodeType:
    chain = ["if a == 0:", "    b = 0"]
    for number in range(1, size // 2):
        chain += [f"elif a == {number}:", f"    b = c.f({number})"]
    return _function(chain)


def loops(size: int) -> types.CodeType:
    return _function([line for n in range(size // 3) for line in (f"for b in a({n}):", "    if b:", f"        c.f({n})")])


def tries(size: int) -> types.CodeType:
    return _function([
        line for n in range(size // 4) for line in ("try:", f"    a.f({n})", f"except E{n % 7} as e:", "    b = e")
    ])  # fmt: skip


def finallies(size: int) -> types.CodeType:
    return _function([
        line for n in range(size // 4) for line in ("try:", f"    a.f({n})", "finally:", f"    b.f({n})")
    ])  # fmt: skip


def returns(size: int) -> types.CodeType:
    """Many returns, all of which leave one finally."""
    inner = [line for n in range(size // 2) for line in (f"    if a.f({n}):", f"        return b.f({n})")]
    return _function(["try:", *inner, "finally:", "    c.f()"])


def guards(size: int) -> types.CodeType:
    """What follows each of them is a part of its body, as far as the graph tells."""
    return _function([line for n in range(size // 4) for line in (f"if a > {n}:", f"    b = c.f({n})", "else:", f"    raise E({n})")])


def raising_finallies(size: int) -> types.CodeType:
    """Copies of a clean-up whose end is inside of its last statement."""
    return _function([
        line for n in range(size // 5) for line in ("try:", f"    a.f({n})", "finally:", f"    if b.f({n}):", "        raise c")
    ])  # fmt: skip


def returning_elses(size: int) -> types.CodeType:
    return _function([
        line for n in range(size // 6) for line in ("try:", f"    a.f({n})", "except E:", f"    b.f({n})", "else:", f"    return {n}")
    ])  # fmt: skip


def conditions(size: int) -> types.CodeType:
    return _function(["if " + " and ".join(f"a.x{n}" for n in range(size)) + ":", "    b = c"])


def mixed(size: int) -> types.CodeType:
    return _function(["if " + " or ".join(f"a.x{n} and b.y{n}" for n in range(size // 2)) + ":", "    b = c"])


def matches(size: int) -> types.CodeType:
    return _function(["match a:", *[line for n in range(size // 2) for line in (f"    case {n}:", f"        b = c.f({n})")]])


def withs(size: int) -> types.CodeType:
    return _function([line for n in range(size // 2) for line in (f"with a({n}) as b:", f"    c.f({n})")])


def clauses(size: int) -> types.CodeType:
    return _function(["try:", "    c.f()", *[line for n in range(size // 2) for line in (f"except E{n} as e:", f"    b = c.g(e, {n})")]])


def breaks(size: int) -> types.CodeType:
    ways = ("break", "continue", "return b")
    return _function(["while a:", *[line for n in range(size // 2) for line in (f"    if c.f({n}):", f"        {ways[n % 3]}")]])


def finally_breaks(size: int) -> types.CodeType:
    """Ways out of one finally inside a loop, each with a copy of the clean-up."""
    ways = ("break", "continue", "return c")
    inner = [line for n in range(size // 2) for line in (f"        if b.f({n}):", f"            {ways[n % 3]}")]
    return _function(["while a:", "    try:", *inner, "    finally:", "        c.f()"])


def comprehensions(size: int) -> types.CodeType:
    return _function([f"b = {{x: [y for y in x] for x in a if x > {n}}}" for n in range(size // 2)])


def display(size: int) -> types.CodeType:
    return _function(["return {" + ", ".join(f"a.x{n}: [c.f({n}), b]" for n in range(size)) + "}"])


def functions(size: int) -> types.CodeType:
    return _function([line for n in range(size // 2) for line in (f"def g{n}(x, y={n}):", "    return x + y + a")])


def deep(depth: int) -> types.CodeType:
    """Ifs inside ifs, each with a statement before the next; built as a tree, since text may not be indented that far."""
    body: List[ast.stmt] = ast.parse("c.f()").body
    for number in range(depth):
        inner = ast.parse(f"b = c.f({number})\nif a > {number}:\n    pass\n").body
        assert isinstance(inner[1], ast.If)
        inner[1].body = body
        body = inner
    module = ast.parse("def f(a, b, c):\n    pass\n")
    module.body[0].body = body  # type: ignore[attr-defined]
    return compile_text(ast.fix_missing_locations(module), "<bench>")


SHAPES: Dict[str, Tuple[Callable[[int], types.CodeType], Tuple[int, ...]]] = {
    "straight lines": (straight, SIZES),
    "ifs in a row": (ifs, SIZES),
    "an elif chain": (elifs, (250, 500, 1000, 2000)),
    "loops in a row": (loops, SIZES),
    "tries in a row": (tries, SIZES),
    "finallies in a row": (finallies, SIZES),
    "returns in a finally": (returns, SIZES),
    "guards with else": (guards, SIZES),
    "finallies that raise": (raising_finallies, SIZES),
    "elses that return": (returning_elses, SIZES),
    "a long `and`": (conditions, SIZES),
    "`and` in a long `or`": (mixed, SIZES),
    "withs in a row": (withs, SIZES),
    "except clauses": (clauses, SIZES),
    "breaks in a while": (breaks, SIZES),
    "breaks in a finally": (finally_breaks, SIZES),
    "comprehensions": (comprehensions, SIZES),
    "a big display": (display, SIZES),
    "nested functions": (functions, SIZES),
    "ifs nested deep": (deep, DEPTHS),
}
if sys.version_info >= (3, 10):
    SHAPES["a long match"] = (matches, SIZES)


def timed(work: Callable[[], Any], least: float = 0.2, runs: int = 2) -> float:
    """The best of a few runs, in seconds of this process alone; garbage collection aside. As many `runs` at the least, and more of
    what takes less than `least` seconds."""
    best = float("inf")
    spent = 0.0
    done = 0
    gc.collect()
    gc.disable()
    try:
        while done < runs or (spent < least and done < 10):
            start = time.process_time()
            work()
            once = time.process_time() - start
            best, spent, done = min(best, once), spent + once, done + 1
    finally:
        gc.enable()
    return best


class Timings:
    """A shape's codes, one of each size, and what each took in each round."""

    def __init__(self, name: str, times: int) -> None:
        make, sizes = SHAPES[name]
        self.name = name
        self.sizes = [size * times for size in sizes]
        self.codes = made(make, self.sizes)
        self.rounds: List[List[float]] = []
        self.failure = ""

    def again(self) -> None:
        """One more round."""
        from depyf import Decompiler

        spent = []
        for code in self.codes:
            try:
                spent.append(timed(lambda code=code: Decompiler(code).decompile(), least=0.02, runs=1))  # type: ignore[misc]
            except Exception as error:
                self.failure = f"{type(error).__name__} {error}"[:60]
                return
        self.rounds.append(spent)

    @property
    def best(self) -> List[float]:
        return [min(column) for column in zip(*self.rounds)]

    @property
    def worst(self) -> float:
        """The most that a doubling costs. The smallest sizes are noise; what counts is where it goes."""
        return max([after / max(before, 1e-9) for before, after in zip(self.best, self.best[1:])][-2:], default=0.0)

    @property
    def median(self) -> float:
        """The same by the medians of the ratios within each round: with what others on the machine do to larger sizes, which lose more
        of the caches that they share."""
        ratios = [[after / max(before, 1e-9) for before, after in zip(spent, spent[1:])] for spent in self.rounds]
        return max([statistics.median(column) for column in zip(*ratios)][-2:], default=0.0)

    @property
    def mean(self) -> float:
        """What a doubling costs from the smallest size to the largest. One step alone may be that at which code outgrows a cache."""
        return float((self.best[-1] / max(self.best[0], 1e-9)) ** (1 / max(len(self.best) - 1, 1))) if self.best else 0.0


def made(make: Callable[[int], types.CodeType], sizes: Sequence[int]) -> List[types.CodeType]:
    """One code of each size, up to that which is too deep for the compiler itself."""
    codes = []
    for size in sizes:
        try:
            codes.append(make(size))
        except (MemoryError, RecursionError, SyntaxError):
            break
    return codes


def growth(only: Optional[List[str]], times: int = 1) -> Tuple[List[List[str]], bool]:
    """A line for each shape: seconds for each size, and the worst cost of a doubling. All sizes are so many `times` larger.

    Sizes and shapes take turns, so that the rounds of each are spread over the whole run: a machine that is slow for a while, as one
    is whose caches others use too, is slow for all of them, and for one round."""
    shapes = [Timings(name, times) for name in SHAPES if not only or name in only]
    for shape in progress(shapes * ROUNDS, label="growth"):
        shape.again()
    rows = []
    for shape in shapes:
        cells = [f"{one * 1000:.0f}" for one in shape.best] + ["-"] * (4 - len(shape.best))
        verdict = shape.failure or ("yes" if shape.worst <= DOUBLING else "NO")
        ratios = [f"{ratio:.2f}" for ratio in (shape.mean, shape.worst, shape.median)]
        rows.append([shape.name, "/".join(map(str, shape.sizes)), *cells, *ratios, verdict])
    return rows, all(row[-1] == "yes" for row in rows)


def instructions(only: Optional[List[str]], times: int = 1) -> List[List[str]]:
    """Machine instructions, counted by valgrind, for the two largest sizes of each shape. Neither other work on the machine nor its
    caches change them, so this tells what a doubling costs by itself; seconds of what outgrows a cache tell more than that."""
    rows = []
    for name in progress([name for name in SHAPES if not only or name in only], label="instructions"):
        sizes = [0] + [size * times for size in SHAPES[name][1][-2:]]
        none, half, whole = [_instructions_of(name, size) for size in sizes]
        ratio = (whole - none) / max(half - none, 1)
        rows.append([name, f"{sizes[1]}/{sizes[2]}", f"{(half - none) / 1e6:,.0f}", f"{(whole - none) / 1e6:,.0f}", f"{ratio:.2f}"])
    return rows


def _instructions_of(shape: str, size: int) -> int:
    """Of a process of its own that decompiles a shape of that size; 0 for all that such a process does besides."""
    counting = ["valgrind", "--tool=callgrind", "--trace-children=yes", "--callgrind-out-file=/dev/null"]
    done = subprocess.run(
        [*counting, sys.executable, os.path.abspath(__file__), "--once", shape, str(size)], stderr=subprocess.PIPE, text=True
    )
    found = re.findall(r"Collected : (\d+)", done.stderr)
    if done.returncode or not found:
        raise SystemExit(f"valgrind counted nothing (exit {done.returncode}):\n{done.stderr[-1000:]}")
    return int(found[-1])


def once(shape: str, size: int) -> None:
    """What `instructions` counts: a little first, so that the modules are there."""
    from depyf import Decompiler

    make = SHAPES[shape][0]
    Decompiler(make(48)).decompile()
    if size:
        Decompiler(make(size)).decompile()


def library(sample: Optional[int], seed: int) -> Tuple[float, float, int, List[Tuple[float, str]]]:
    """(seconds to compile, seconds to decompile, modules that failed, the worst ratios)."""
    from depyf import Decompiler

    compiling = decompiling = 0.0
    failed = 0
    ratios: List[Tuple[float, str]] = []
    for source in progress(choose(stdlib_files("library"), sample, seed), label="standard library"):
        text = source.read()
        try:
            start = time.process_time()
            code = compile_text(text, source.path)
            middle = time.process_time()
        except (SyntaxError, ValueError):
            continue
        try:
            Decompiler(code).decompile()
        except Exception:
            failed += 1
            continue
        end = time.process_time()
        compiling += middle - start
        decompiling += end - middle
        ratios.append(((end - middle) / (middle - start), source.name))
    return compiling, decompiling, failed, sorted(ratios, reverse=True)[:5]


def main(arguments: Optional[List[str]] = None) -> int:
    it = argparse.ArgumentParser(prog="bench/decompile.py", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    it.add_argument("--sample", type=int, help="modules of the standard library, chosen at random; all without it")
    it.add_argument("--seed", type=int, default=0)
    it.add_argument("--no-growth", action="store_true", help="only the standard library")
    it.add_argument("--no-library", action="store_true", help="only the growth")
    it.add_argument("--times", type=int, default=1, help="sizes so many times larger: what is copied again and again shows from 8 on")
    it.add_argument("--shape", action="append", choices=list(SHAPES), help="only this shape; may be repeated")
    it.add_argument("--instructions", action="store_true", help="machine instructions instead, by valgrind, which must be installed (slow)")
    it.add_argument("--once", nargs=2, metavar=("SHAPE", "SIZE"), help=argparse.SUPPRESS)
    options = it.parse_args(arguments)
    from depyf import Decompiler

    if options.once:
        once(options.once[0], int(options.once[1]))
        return 0
    if options.instructions:
        if shutil.which("valgrind") is None:
            it.error("--instructions needs valgrind, which is not on the PATH")
        rows = instructions(options.shape, options.times)
        print(table(("{}.{}, millions of instructions".format(*sys.version_info[:2]), "sizes", "half", "whole", "doubling"), rows))
        return 0

    version = "{}.{}".format(*sys.version_info[:2])
    if not options.no_library:
        compiling, decompiling, failed, worst = library(options.sample, options.seed)
        ratio = decompiling / max(compiling, 1e-9)
        print(f"{version}: decompiling the standard library takes {decompiling:.1f} s, compiling it {compiling:.1f} s: {ratio:.1f} x")
        print(f"  {failed} modules failed; slowest for their size: " + ", ".join(f"{name} {r:.0f} x" for r, name in worst))
    if not options.no_growth:
        rows, _ = growth(options.shape, options.times)
        costs = ("doubling", "worst", "median", f"<= {DOUBLING}")
        print(table((f"{version}, milliseconds", "sizes", "1st", "2nd", "3rd", "4th", *costs), rows))
        code = straight(1000)
        print(f"1,000 straight lines: {timed(lambda: Decompiler(code).decompile()):.3f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
