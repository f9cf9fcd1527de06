"""Constructs written again and again in one body: twice as many must be twice the work, whatever they are.

The benchmark has a shape for each kind of long code; here any pair of constructs, and every case of the tests, is such a shape. Work is
counted in calls, so that a busy machine does not matter. Nothing is executed.
"""

from __future__ import annotations

import argparse
import ast
import itertools
import os
import random
import sys
import textwrap
import time
from types import CodeType
from typing import Any, Iterator, List, NamedTuple, Optional, Tuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)

from depyf import DecompilationError, Decompiler  # noqa: E402
from tools.nestings import HEADS, random_expressions, random_statements  # noqa: E402
from tools.progress import progress, table  # noqa: E402
from tools.sources import compile_text  # noqa: E402

TIMES = (30, 60)  # how often a construct is written
DOUBLING = 2.3
CASES = os.path.join(ROOT, "tests", "cases")


class Shape(NamedTuple):
    """Statements that are repeated in a body; `head` is the line above, empty for a module."""

    text: str
    head: str

    def repeated(self, times: int) -> str:
        """One behind the other; where it may leave the body, each behind a test of its own, so that the rest can be reached."""
        text = f"{self.text}\n" * times
        if any(isinstance(node, (ast.Return, ast.Raise)) for node in ast.walk(ast.parse(self.text))):
            inner = textwrap.indent(self.text, "    ")
            text = "".join(f"if q.w{number}:\n{inner}\n" for number in range(times))
        return f"{self.head}\n{textwrap.indent(text, '    ')}" if self.head else text


class Growth(NamedTuple):
    """What a shape costs at both sizes."""

    shape: Shape
    spent: List[int]

    @property
    def ratio(self) -> float:
        return self.spent[-1] / self.spent[0]


def calls(code: CodeType) -> int:
    """How many functions are called, or go on, to decompile `code`; those in C, too: a loop may call nothing but `isinstance`."""
    count = 0

    def count_call(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count_call)
    try:
        Decompiler(code).decompile()
    finally:
        sys.setprofile(before)
    return count


def measured(shape: Shape, both: Tuple[int, int] = TIMES) -> Optional[Growth]:
    """None for what does not compile, or cannot be decompiled."""
    try:
        return Growth(shape, [calls(compile_text(shape.repeated(times), "<growth>")) for times in both])
    except (SyntaxError, ValueError, RecursionError, MemoryError, DecompilationError):
        return None


def drawn(head: str, depth: int, seed: int) -> Iterator[Shape]:
    """Constructs in constructs, at random, statements and expressions in turn."""
    chance = random.Random(f"{seed} {head}")
    kinds = random_statements(head, depth, chance), random_expressions(head, depth, chance)
    for case in itertools.chain.from_iterable(zip(*kinds)):
        yield Shape(case.text, HEADS[head].format(""))


def from_cases(folder: str = CASES) -> Iterator[Shape]:
    """The bodies of all functions of the tests' cases that the running version compiles."""
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            text = file.read()
        try:
            tree = ast.parse(text)
        except SyntaxError:
            continue
        lines = text.split("\n")
        for node in tree.body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.body[0].lineno > node.lineno:
                body = "\n".join(lines[node.body[0].lineno - 1 : node.end_lineno])
                head = "\n".join(lines[node.lineno - 1 : node.body[0].lineno - 1])
                yield Shape(textwrap.dedent(body), head)


def main(arguments: Optional[List[str]] = None) -> int:
    it = argparse.ArgumentParser(prog="growth", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    it.add_argument("--limit", type=int, default=200, metavar="N", help="shapes drawn at random under each head")
    it.add_argument("--depth", type=int, default=2, help="how many constructs may stand in one another")
    it.add_argument("--seed", type=int, default=0)
    it.add_argument("--heads", nargs="+", choices=list(HEADS), default=list(HEADS), help="what the shapes stand in")
    it.add_argument("--cases", action="store_true", help="the cases of the tests instead")
    options = it.parse_args(arguments)
    start = time.monotonic()
    shapes = {head: list(itertools.islice(drawn(head, options.depth, options.seed), options.limit)) for head in options.heads}
    if options.cases:
        shapes = {"cases": list(from_cases())}
    rows, slow = [], []
    for label, some in shapes.items():
        found = [one for one in map(measured, progress(some, len(some), label)) if one is not None]
        worse = [one for one in found if one.ratio > DOUBLING]
        rows.append([label, len(found), f"{max((one.ratio for one in found), default=0):.2f}", len(worse)])
        slow += worse
    for one in sorted(slow, key=lambda one: -one.ratio):
        print(f"# {one.ratio:.2f}: {' to '.join(f'{spent:,}' for spent in one.spent)} calls\n{one.shape.head}\n{one.shape.text}")
    print(table(("{}.{}".format(*sys.version_info[:2]), "shapes", "worst doubling", f"> {DOUBLING}"), rows))
    print(f"{time.monotonic() - start:.0f} s")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
