"""Every kind of expression in every place of every other, every kind of statement in every body of every other: there and back.

Random programs meet a rare pair of constructs (a set comprehension under the star of a call) only by luck. Here all pairs are
written down, `□` being the place where another one goes; deeper ones are drawn at random from a seed. Nothing is executed.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import sys
import time
from typing import Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)

from tools import nesting_templates as templates  # noqa: E402
from tools.minimise import check  # noqa: E402
from tools.progress import progress, table  # noqa: E402
from tools.roundtrip import EQUAL, Outcome, reason_class  # noqa: E402
from tools.sources import compiles  # noqa: E402

VERSION = sys.version_info[:2]
HOLE = templates.HOLE
A_MODULE = 100  # so many cases are tried at once, and one by one if that fails


class Case(NamedTuple):
    """Statements, and what they have to stand in."""

    text: str
    head: str


HEADS = {
    "function": "def f{}(a, b, c):",
    "generator": "def f{}(a, b, c):",
    "coroutine": "async def f{}(a, b, c):",
    "class": "class f{}:",
    "module": "",
}
Since = Dict[Tuple[int, int], List[str]]


def _allowed(head: str, always: List[str], since: Since, in_generators: List[str], in_coroutines: List[str]) -> List[str]:
    """The templates of one kind that may stand under a head in the running version."""
    found = always + [text for version, texts in since.items() if version <= VERSION for text in texts]
    return found + (in_generators if head == "generator" else in_coroutines if head == "coroutine" else [])


def expression_kinds(head: str) -> List[str]:
    return _allowed(
        head,
        templates.EXPRESSIONS,
        templates.EXPRESSIONS_SINCE,
        templates.EXPRESSIONS_IN_GENERATORS,
        templates.EXPRESSIONS_IN_COROUTINES,
    )


def expression_contexts(head: str) -> List[str]:
    return _allowed(
        head, templates.CONTEXTS, templates.CONTEXTS_SINCE, templates.CONTEXTS_IN_GENERATORS, templates.CONTEXTS_IN_COROUTINES
    )


def statement_kinds(head: str) -> List[str]:
    return _allowed(head, templates.STATEMENTS, templates.STATEMENTS_SINCE, [], templates.STATEMENTS_IN_COROUTINES)


def ends(head: str) -> List[str]:
    return _allowed(head, templates.ENDS, {}, templates.ENDS_IN_GENERATORS, templates.ENDS_IN_COROUTINES)


def fill(template: str, text: str) -> str:
    """`text` in the place of every hole, its lines as far to the right as the hole."""
    lines = []
    for line in template.split("\n"):
        if line.strip() == HOLE:
            margin = line[: line.index(HOLE)]
            lines += [margin + inner for inner in text.split("\n")]
        else:
            lines.append(line.replace(HOLE, text))
    return "\n".join(lines)


def in_brackets(text: str) -> str:
    return text if text.isidentifier() else f"({text})"


def expressions(head: str, depth: int) -> Iterator[Case]:
    """Every expression in `depth` others, in every statement."""
    kinds = expression_kinds(head)
    for context in expression_contexts(head):
        for chosen in itertools.product(kinds, repeat=depth):
            yield Case(_nested(context, chosen), head)


def _nested(context: str, chosen: Sequence[str], atom: str = "a") -> str:
    text = atom
    for template in reversed(chosen):
        text = in_brackets(template.replace(HOLE, text))
    return fill(context, text)


def random_expressions(head: str, depth: int, chance: random.Random) -> Iterator[Case]:
    """Without an end: two expressions to `depth` of them, one in the other."""
    kinds, contexts = expression_kinds(head), expression_contexts(head)
    while True:
        chosen = [chance.choice(kinds) for _ in range(chance.randint(2, depth))]
        yield Case(_nested(chance.choice(contexts), chosen, chance.choice(templates.ATOMS)), head)


def statements(head: str, depth: int) -> Iterator[Case]:
    """Every end in `depth` statements, with something behind them or nothing."""
    kinds = statement_kinds(head)
    for chosen in itertools.product(kinds, repeat=depth):
        for behind, end in itertools.product(templates.AROUND, ends(head)):
            yield Case(_stacked([behind, *chosen], end), head)


def _stacked(chosen: Sequence[str], end: str) -> str:
    text = end
    for template in reversed(chosen):
        text = fill(template, text)
    return text


def random_statements(head: str, depth: int, chance: random.Random) -> Iterator[Case]:
    kinds, last = statement_kinds(head), ends(head)
    while True:
        chosen = [chance.choice(kinds) for _ in range(chance.randint(2, depth))]
        yield Case(_stacked([chance.choice(templates.AROUND), *chosen], chance.choice(last)), head)


# ---------------------------------------------------------------- trying them


def definition(case: Case, number: int = 0) -> str:
    """A case as a definition of its own; those for a module stand by themselves."""
    if not HEADS[case.head]:
        return case.text + "\n"
    body = case.text + ("\nyield" if case.head == "generator" and "yield" not in case.text else "")
    return HEADS[case.head].format(number) + "\n" + "".join(f"    {line}\n" for line in body.split("\n"))


def failures(cases: List[Case]) -> Iterator[Tuple[str, Outcome]]:
    """What does not come back EQUAL; all at once where that is possible."""
    texts = [definition(case, number) for number, case in enumerate(cases)]
    together = bool(HEADS[cases[0].head]) and check("\n".join(texts)).status == EQUAL
    for text in () if together else texts:
        outcome = check(text)
        if outcome.status != EQUAL:
            yield text, outcome


class Count(NamedTuple):
    """The figures of one kind of cases under one head."""

    label: str
    tried: int
    failed: List[Tuple[str, Outcome]]


def run(label: str, cases: Iterable[Case], total: int) -> Count:
    """Those of the cases that compile at all: not every pair does."""
    tried, failed = 0, []
    waiting: List[Case] = []
    for case in progress(itertools.chain(cases, [None]), total + 1, label):
        if case is not None and compiles(definition(case)):
            waiting.append(case)
        if waiting and (case is None or len(waiting) == A_MODULE):
            failed += failures(waiting)
            tried += len(waiting)
            waiting = []
    return Count(label, tried, failed)


def main(arguments: Optional[List[str]] = None) -> int:
    it = argparse.ArgumentParser(prog="nestings", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    it.add_argument("--limit", type=int, metavar="N", help="N cases of each kind, drawn at random; without it, every pair (hours)")
    it.add_argument("--depth", type=int, default=2, help="with --limit: how many may stand in one another")
    it.add_argument("--seed", type=int, default=0)
    it.add_argument("--heads", nargs="+", choices=list(HEADS), default=list(HEADS), help="what the cases stand in")
    it.add_argument("--kinds", type=int, default=20, help="kinds of failure to print")
    options = it.parse_args(arguments)
    start = time.monotonic()
    chance = random.Random(options.seed)
    counts: List[Count] = []
    for head in options.heads:
        for kind, every, drawn in (("expressions", expressions, random_expressions), ("statements", statements, random_statements)):
            if options.limit is None:
                counts.append(run(f"{head}, {kind}", every(head, 2), sum(1 for _ in every(head, 2))))
            else:
                some = itertools.islice(drawn(head, options.depth, chance), options.limit)
                counts.append(run(f"{head}, {kind}", some, options.limit))
    seen: Dict[str, List[Tuple[str, Outcome]]] = {}
    for count in counts:
        for text, outcome in count.failed:
            seen.setdefault(reason_class(outcome.reason), []).append((text, outcome))
    for some in sorted(seen.values(), key=len, reverse=True)[: options.kinds]:
        text, outcome = min(some, key=lambda one: len(one[0]))
        print(f"# {len(some)} x {outcome.status}: {outcome.reason.splitlines()[0]}\n{text}")
    rows = [[count.label, count.tried, len(count.failed)] for count in counts]
    print(table(("{}.{}".format(*VERSION), "cases", "not EQUAL"), rows))
    print(f"{time.monotonic() - start:.0f} s")
    return 1 if seen else 0


if __name__ == "__main__":
    sys.exit(main())
