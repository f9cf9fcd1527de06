"""Mutants: change a code object in one place and see that the proof notices. Deterministic by seed.

Each survivor (a mutant that is EQUAL) is checked against the arguments of tools.equivalences; one that none of them explains
is a hole in the proof. tests/proof/equivalent_mutants.txt lists the survivors of the recorded runs with their reasons.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import types
from collections import Counter
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)

from tools import mutations, mutations_around  # noqa: E402
from tools.assembler import VERSION, AssemblyError, disassemble  # noqa: E402
from tools.equivalences import explain  # noqa: E402
from tools.flow import Flow  # noqa: E402
from tools.mutations import Mutation  # noqa: E402
from tools.progress import percent, progress, table  # noqa: E402
from tools.roundtrip import EQUAL, STATUSES, prove  # noqa: E402
from tools.sources import Source, compile_source, kind, nested, stdlib_files  # noqa: E402

KINDS = {**mutations.KINDS, **mutations_around.KINDS}


class Mutant(NamedTuple):
    """One mutant and what the proof said."""

    module: str
    qualname: str
    mutation: Mutation
    status: str
    reason: str
    explanation: Optional[str]
    original: types.CodeType

    @property
    def name(self) -> str:
        """What it is called in the checked-in list."""
        version = "{}.{}".format(*VERSION)
        return f"{version} {self.module}:{self.qualname} {self.mutation.kind} at {self.mutation.place}: {self.mutation.what}"


def candidates(code: types.CodeType) -> Dict[str, List[Mutation]]:
    """Every mutation that applies to a code object, by kind."""
    assembly = disassemble(code)
    flow = Flow(assembly)
    found = {name: list(find(assembly, flow)) for name, find in KINDS.items()}
    return {name: some for name, some in found.items() if some}


def make(code: types.CodeType, mutation: Mutation) -> Optional[Tuple[Any, Any]]:
    """The two objects to compare; None if this version's bytecode cannot hold the mutant, or it is the original."""
    assembly = disassemble(code)
    mutation.apply(assembly)
    try:
        mutant = assembly.assemble()
        original = disassemble(code).assemble()  # so that both lack line numbers
        pair = mutation.pair(original, mutant)
    except (AssemblyError, ValueError, KeyError, OverflowError):
        return None
    same = ("co_code", "co_consts", "co_flags", "co_varnames", "co_freevars", "co_exceptiontable", "co_argcount",
            "co_posonlyargcount", "co_kwonlyargcount")  # fmt: skip
    if isinstance(pair[1], types.CodeType) and all(getattr(pair[0], n, 0) == getattr(pair[1], n, 0) for n in same):
        return None if repr(pair[0].co_consts) == repr(pair[1].co_consts) else pair
    return pair


def functions_of(source: Source) -> Iterator[Tuple[str, types.CodeType]]:
    """The functions of a module that are worth changing."""
    module = compile_source(source)
    for item in nested(module) if module is not None else ():
        if kind(item.code) == "function" and 6 < len(item.code.co_code) < 3000:
            yield item.qualname, item.code


def mutants(seed: int, each: int = 3, timeout: float = 20.0, which: str = "library") -> Iterator[Mutant]:
    """Mutants without end: functions in a random order, a few mutants of each, always of the kind made least so far."""
    chance = random.Random(seed)
    made: Dict[str, int] = Counter()
    sources = stdlib_files(which)
    chance.shuffle(sources)
    for source in sources:
        for qualname, code in functions_of(source):
            by_kind = candidates(code)
            for _ in range(each):
                if not by_kind:
                    break
                choice = min(sorted(by_kind), key=lambda name: made[name])
                mutation = by_kind[choice].pop(chance.randrange(len(by_kind[choice])))
                by_kind = {name: some for name, some in by_kind.items() if some}
                pair = make(code, mutation)
                if pair is None:
                    continue
                made[choice] += 1
                outcome = prove(qualname, pair[0], pair[1], timeout)
                mutant = Mutant(source.name, qualname, mutation, outcome.status, outcome.reason, None, code)
                if outcome.status == EQUAL:
                    mutant = mutant._replace(explanation=explain(code, mutation, pair, mutant.name))
                yield mutant


def run(count: int, seed: int, each: int, timeout: float, which: str = "library") -> List[Mutant]:
    """The first `count` of them."""
    made = mutants(seed, each, timeout, which)
    return [mutant for _, mutant in zip(progress(range(count), label="mutants"), made)]


def report(made: List[Mutant]) -> str:
    """A table by kind of mutation."""
    rows = []
    for choice in list(KINDS) + ["all"]:
        some = [mutant for mutant in made if choice in (mutant.mutation.kind, "all")]
        counts = Counter(mutant.status for mutant in some)
        unexplained = sum(mutant.status == EQUAL and mutant.explanation is None for mutant in some)
        rows.append([choice, len(some)] + [counts[status] for status in STATUSES]
                    + [percent(len(some) - counts[EQUAL], len(some)), unexplained])  # fmt: skip
    return table(("{}.{}".format(*VERSION), "mutants", *STATUSES, "not EQUAL", "unexplained"), rows)


def main(arguments: Optional[List[str]] = None) -> int:
    it = argparse.ArgumentParser(prog="mutants", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    it.add_argument("--count", type=int, default=1000)
    it.add_argument("--seed", type=int, default=0)
    it.add_argument("--each", type=int, default=3, help="mutants of one function")
    it.add_argument("--timeout", type=float, default=20.0, help="seconds for one proof")
    it.add_argument("--survivors", metavar="FILE", help="write survivors as JSON lines")
    it.add_argument("--show", type=int, default=10, metavar="N", help="survivors to print")
    options = it.parse_args(arguments)
    made = run(options.count, options.seed, options.each, options.timeout)
    survivors = [mutant for mutant in made if mutant.status == EQUAL]
    for mutant in sorted(survivors, key=lambda m: m.explanation is not None)[: options.show]:
        print(f"survived: {mutant.name}   ({mutant.explanation or 'UNEXPLAINED'})")
    for mutant in [m for m in made if m.status == "FAILED"][: options.show]:
        print(f"failed: {mutant.name}   {mutant.reason}")
    if options.survivors:
        with open(options.survivors, "w", encoding="utf-8") as file:
            for mutant in survivors:
                file.write(json.dumps({"mutant": mutant.name, "explanation": mutant.explanation}) + "\n")
    print(report(made))
    return 1 if any(mutant.explanation is None for mutant in survivors) else 0


if __name__ == "__main__":
    sys.exit(main())
