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
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)

from tools.minimise import check  # noqa: E402
from tools.progress import progress, table  # noqa: E402
from tools.roundtrip import EQUAL, Outcome, reason_class  # noqa: E402
from tools.sources import compile_text  # noqa: E402

VERSION = sys.version_info[:2]
HOLE = "□"
A_MODULE = 100  # so many cases are tried at once, and one by one if that fails

ATOMS = ("a", "1", "'text'", "None", "()", "...", "-1.5", "True", "[]", "{}")

EXPRESSIONS = [
    "a + □", "□ - b", "-□", "not □", "□ < b", "a == □", "a < □ < c", "□ < b < c", "a < b < □", "□ in b", "a not in □", "□ is None",
    "□ and b", "a and □", "□ or b", "a or □", "a and □ or b", "not (□ or b)", "□ if b else c", "a if □ else c", "a if b else □",
    "□.u", "□[0]", "a[□]", "a[□:b]", "a[b:□]", "a[::□]", "a[□, 1]", "a[1:□, b]", "□(1)", "□.m(1)", "a.m(□)", "a(□)", "a(1, □)",
    "a(*□)", "a(b, *□)", "a(*□, b)", "a(*b, *□)", "a(k=□)", "a(j=1, k=□)", "a(**□)", "a(b, k=1, **□)", "a(**b, **□)", "a(*b, **□)",
    "a(*□, k=1)", "a.m(*□)", "a.m(k=□)", "[□]", "[1, □]", "[*□]", "[1, *□]", "(□,)", "(*□,)", "(*□, *b)", "{□}", "{1, □}", "{*□}", "{*b, *□}",
    "{a: □}", "{□: a}", "{1: 2, 3: □}", "{**□}", "{'a': 1, **□}", "{**b, 'a': □}", "[x for x in □]", "[□ for x in a]", "[x for x in a if □]",
    "[x for x in a if b if □]", "[x for y in a for x in □]", "[x for x in □ for y in x]", "{□ for x in a}", "{x for x in □}",
    "{x: □ for x in a}", "{□: x for x in a}", "{x: x for x in □}", "(□ for x in a)", "(x for x in □)", "(x for x in a if □)", "sum(x for x in □)",
    "[lambda: x for x in □]", "[[y for y in □] for x in a]", "[x for [x] in [□]]", "[x for x in [□]]", "lambda: □", "lambda p=□: p", "lambda p: □",
    "lambda *, p=□: p", "f'{□}'", "f'{□!r:>5}'", "f'{a:{□}}'", "f'x{a}y{□}z'", "'%s' % □", "'%s %r' % (a, □)", "(t := □)", "a(t := □)",
]  # fmt: skip
IN_GENERATORS = ["(yield □)", "(yield from □)"]
IN_COROUTINES = ["await □", "[x async for x in □]", "[await x for x in □]"]
SINCE = {(3, 11): ["a[*□]"], (3, 14): ["t'{□}'", "t'x{a}{□!r:>{b}}'"]}

# what an expression stands in; `inner` begins a line of the next level
CONTEXTS = [
    "□", "r = □", "r = s = □", "r, s = □", "r, s = a, □", "r, s = □, b", "r, *s = □", "[r.u, s[0]] = □", "a.u = □", "a[□] = b", "(□).u = b",
    "a[□:1] = b", "a.u, b[□] = c", "r += □", "a.u += □", "a[□] += b", "(□).u -= b", "r: int = □", "r: □ = a", "a.u: □", "return □", "return a, □",
    "if □:\n    b()", "if □:\n    b()\nelse:\n    c()", "if not □:\n    b()\nc()", "if a:\n    b()\nelif □:\n    c()\nd()", "if a and □:\n    b()",
    "if a:\n    return □\nreturn b", "while □:\n    b()", "while □:\n    if c:\n        break\nelse:\n    d()", "while True:\n    if □:\n        break",
    "for x in □:\n    b()", "for x in □:\n    break\nelse:\n    c()", "for x in a:\n    r = □", "for (□).u in b:\n    c()", "for a[□] in b:\n    c()",
    "with □:\n    b()", "with □ as x, c as y:\n    b()", "with a as x, □ as y:\n    return b", "with a as (□).u:\n    b()", "with a:\n    return □", "assert □", "assert a, □",
    "raise □", "raise a from □", "del (□).u", "del a[□]", "try:\n    r = □\nexcept E:\n    b()", "try:\n    b()\nexcept □:\n    c()",
    "try:\n    b()\nexcept E as e:\n    return □", "try:\n    return □\nfinally:\n    b()", "try:\n    b()\nfinally:\n    r = □", "@□\ndef inner():\n    pass",
    "@a\n@□\nclass inner:\n    pass", "def inner(p=□, *, q=□):\n    return p", "def inner(p: □):\n    return p", "def inner() -> □:\n    pass",
    "class inner(□):\n    pass", "class inner(a, k=□):\n    pass", "class inner:\n    r = □", "class inner:\n    r: □ = 1", "print(□, file=□)",
]  # fmt: skip
CONTEXTS_IN_GENERATORS = ["yield □", "r = yield □", "yield a, □", "r = yield from □"]
CONTEXTS_IN_COROUTINES = ["async with □ as x, b:\n    c()", "async for x in □:\n    b()", "await □", "return await □"]
CONTEXTS_SINCE = {
    (3, 10): ["match □:\n    case 1:\n        b()\n    case _:\n        c()", "match a:\n    case [x, *_] if □:\n        b()", "match a, □:\n    case x, y:\n        b()"],
    (3, 11): ["try:\n    r = □\nexcept* E:\n    r = □"],
    (3, 12): ["type A[T: □] = □", "def inner[T: □](p: □ = □):\n    pass", "class inner[T: □](□):\n    r: □"],
}  # fmt: skip

STATEMENTS = [
    "if a:\n    □", "if a:\n    □\nelse:\n    b()", "if a:\n    b()\nelse:\n    □", "if a:\n    b()\nelif c:\n    □\nelse:\n    d()", "if a and b:\n    □", "if not a:\n    □",
    "while a:\n    □", "while True:\n    □", "while a or b:\n    □", "while a:\n    □\nelse:\n    b()", "while a:\n    b()\nelse:\n    □", "for x in a:\n    □",
    "for x in a:\n    □\nelse:\n    b()", "for x in a:\n    if b:\n        break\nelse:\n    □", "try:\n    □\nexcept E:\n    b()", "try:\n    b()\nexcept E:\n    □",
    "try:\n    b()\nexcept E as e:\n    □", "try:\n    b()\nexcept E:\n    c()\nexcept:\n    □", "try:\n    b()\nexcept E:\n    c()\nelse:\n    □",
    "try:\n    □\nexcept E:\n    c()\nelse:\n    d()", "try:\n    □\nfinally:\n    b()", "try:\n    b()\nfinally:\n    □", "try:\n    □\nexcept E:\n    b()\nfinally:\n    c()",
    "try:\n    b()\nexcept E as e:\n    □\nfinally:\n    c()", "try:\n    b()\nexcept E:\n    c()\nfinally:\n    □", "with a:\n    □", "with a as x, b:\n    □", "b()\n□", "□\nb()",
    "if a:\n    □\n    return b", "if a:\n    □\n    c()",
]  # fmt: skip
STATEMENTS_IN_COROUTINES = ["async with a as x:\n    □", "async for x in a:\n    □", "async for x in a:\n    □\nelse:\n    b()"]
STATEMENTS_SINCE = {
    (3, 10): ["match a:\n    case 1:\n        □\n    case [x, y] if b:\n        c()", "match a:\n    case C(x=1) | None:\n        b()\n    case _:\n        □"],
    (3, 11): ["try:\n    □\nexcept* E:\n    b()", "try:\n    b()\nexcept* E as e:\n    □\nexcept* F:\n    c()"],
}  # fmt: skip
ENDS = [
    "pass", "y()", "r = y", "del r", "return", "return y", "return y if z else w", "return y and z", "raise", "raise y", "break", "continue", "assert y", "import y",
    "if y:\n    break", "if y:\n    continue", "if y:\n    return z", "if y:\n    raise z", "if y:\n    return z\nelse:\n    w()", "r = y if z else w",
]  # fmt: skip
ENDS_IN_GENERATORS = ["yield y", "r = yield"]
ENDS_IN_COROUTINES = ["await y"]
# where the nested statements stand
BEHIND = ["□", "□\nz()", "for q in w:\n    □\n    t()", "while q:\n    □", "□\nreturn q", "for q in w:\n    □\nreturn q"]


class Case(NamedTuple):
    """Statements, and what they have to stand in."""

    text: str
    head: str


def newer(table_: Dict[Tuple[int, int], List[str]]) -> List[str]:
    return [text for since, texts in table_.items() if since <= VERSION for text in texts]


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


HEADS = {"function": "def f{}(a, b, c):", "generator": "def f{}(a, b, c):", "coroutine": "async def f{}(a, b, c):", "class": "class f{}:", "module": ""}


def expression_kinds(head: str) -> List[str]:
    found = EXPRESSIONS + newer(SINCE)
    return found + (IN_GENERATORS if head == "generator" else IN_COROUTINES if head == "coroutine" else [])


def expression_contexts(head: str) -> List[str]:
    found = CONTEXTS + newer(CONTEXTS_SINCE)
    return found + (CONTEXTS_IN_GENERATORS if head == "generator" else CONTEXTS_IN_COROUTINES if head == "coroutine" else [])


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
    kinds, contexts = expression_kinds(head), expression_contexts(head)
    while True:
        chosen = [chance.choice(kinds) for _ in range(chance.randint(2, depth))]
        yield Case(_nested(chance.choice(contexts), chosen, chance.choice(ATOMS)), head)


def statement_kinds(head: str) -> List[str]:
    return STATEMENTS + newer(STATEMENTS_SINCE) + (STATEMENTS_IN_COROUTINES if head == "coroutine" else [])


def ends(head: str) -> List[str]:
    return ENDS + (ENDS_IN_GENERATORS if head == "generator" else ENDS_IN_COROUTINES if head == "coroutine" else [])


def statements(head: str, depth: int) -> Iterator[Case]:
    """Every end in `depth` statements, with something behind them or nothing."""
    kinds = statement_kinds(head)
    for chosen in itertools.product(kinds, repeat=depth):
        for behind, end in itertools.product(BEHIND, ends(head)):
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
        yield Case(_stacked([chance.choice(BEHIND), *chosen], chance.choice(last)), head)


# ---------------------------------------------------------------- trying them


def definition(case: Case, number: int = 0) -> str:
    """A case as a definition of its own; those for a module stand by themselves."""
    if not HEADS[case.head]:
        return case.text + "\n"
    body = case.text + ("\nyield" if case.head == "generator" and "yield" not in case.text else "")
    return HEADS[case.head].format(number) + "\n" + "".join(f"    {line}\n" for line in body.split("\n"))


def compiles(text: str) -> bool:
    try:
        compile_text(text, "<case>")
    except (SyntaxError, ValueError):
        return False
    return True


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


def run(label: str, cases: Iterator[Case], limit: Optional[int], chance: random.Random, whole: bool) -> Count:
    """`whole`: the cases come to an end, so that a sample can be drawn from all of them."""
    if whole:
        listed = list(cases)
        if limit is not None and limit < len(listed):
            listed = chance.sample(listed, limit)
        cases = iter(listed)
        total = len(listed)
    else:
        total = limit or 0
        cases = itertools.islice(cases, total)
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
    it.add_argument("--limit", type=int, metavar="N", help="at most N cases of each kind, drawn at random")
    it.add_argument("--deeper", type=int, default=0, metavar="N", help="N random cases of each kind that nest further")
    it.add_argument("--depth", type=int, default=4, help="of --deeper")
    it.add_argument("--seed", type=int, default=0)
    it.add_argument("--heads", nargs="+", choices=list(HEADS), default=list(HEADS), help="what the cases stand in")
    it.add_argument("--kinds", type=int, default=20, help="kinds of failure to print")
    options = it.parse_args(arguments)
    start = time.monotonic()
    chance = random.Random(options.seed)
    counts: List[Count] = []
    for head in options.heads:
        for kind, exhaustive, drawn in (("expressions", expressions, random_expressions), ("statements", statements, random_statements)):
            if options.deeper:
                cases = drawn(head, options.depth, chance)
                counts.append(run(f"{head}, deeper {kind}", cases, options.deeper, chance, False))
            else:
                counts.append(run(f"{head}, {kind}", exhaustive(head, 2), options.limit, chance, True))
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
