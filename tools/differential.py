"""Run two code objects in recorded worlds and compare what they did, with an exception injected at each event in turn.

This guards what the proof and the decoder share: EQUAL must mean that no run tells the two apart. It sees events only,
never bytecode. Nothing real is touched: globals, imports, arguments and closures are proxies.
"""

from __future__ import annotations

import argparse
import functools
import os
import signal
import sys
import threading
import types
from collections import Counter
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)

from tools.assembler import VERSION, Instruction, disassemble  # noqa: E402
from tools.proxies import EXCEPTIONS, Globals, Halt, Injected, World, describe, globals_of  # noqa: E402

VARARGS, VARKEYWORDS = 0x4, 0x8


class Difference(NamedTuple):
    """One run that tells two code objects apart."""

    seed: int
    inject_at: Optional[int]
    first: List[str]
    second: List[str]

    def __str__(self) -> str:
        where = "without an exception" if self.inject_at is None else f"with an exception at event {self.inject_at}"
        same = 0
        while same < min(len(self.first), len(self.second)) and self.first[same] == self.second[same]:
            same += 1
        shown = "\n".join("    " + line for line in self.first[max(0, same - 3) : same])
        mine = self.first[same] if same < len(self.first) else "(nothing more)"
        theirs = self.second[same] if same < len(self.second) else "(nothing more)"
        return f"seed {self.seed}, {where}, after {same} events:\n{shown}\n  - {mine}\n  + {theirs}"


class Stuck(BaseException):
    """The alarm: the code runs without making events."""


def _watched(work: Any, seconds: float) -> Any:
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        return work()

    def ring(signum: int, frame: Any) -> None:
        raise Stuck()

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.05)  # again and again: a bare except may swallow one
    try:
        return work()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _arguments(code: types.CodeType, world: World) -> Tuple[List[Any], Dict[str, Any]]:
    names = code.co_varnames
    # the first is self in most functions, and a run that ends at its first attribute shows nothing
    positional = [world.value() if number else world.proxy() for number in range(code.co_argcount)]
    if code.co_flags & VARARGS:
        positional += [world.proxy(), world.proxy()]
    keywords = {name: world.value() for name in names[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]}
    if code.co_flags & VARKEYWORDS:
        keywords["further"] = world.proxy()
    if code.co_argcount and names[0].startswith("."):
        positional[0] = iter([world.proxy(), world.proxy()])
    return positional, keywords


def _drive(world: World, made: Any) -> Any:
    """Run what a call gave to its end: generators and coroutines are sent values, and closed sometimes."""
    if isinstance(made, types.GeneratorType) or isinstance(made, types.CoroutineType):
        value = None
        for _ in range(12):
            given = made.send(value)
            world.log.append(f"yielded {describe(given)}")
            draw = world.chance.randrange(8)
            if draw == 0:
                made.close()
                return "closed"
            if draw == 1:
                world.log.append(f"yielded {describe(made.throw(Injected('thrown')))}")
                value = None
                continue
            value = world.proxy() if world.decide() else None
        made.close()
        return "closed at the end"
    if isinstance(made, types.AsyncGeneratorType):
        for _ in range(6):
            step = made.asend(None)
            try:
                while True:
                    world.log.append(f"waits {describe(step.send(None))}")
            except StopIteration as stop:
                world.log.append(f"yielded {describe(stop.value)}")
        return "left"
    return made


def trace(
    code: types.CodeType, seed: int, inject_at: Optional[int], kinds: Tuple[type, ...], limit: int = 200, seconds: float = 2.0
) -> List[str]:
    """Everything one run of the code does, how it ended last."""
    world = World(seed, inject_at, kinds, limit)
    namespace: Globals = globals_of(world)
    cells = tuple(types.CellType(world.proxy()) for _ in code.co_freevars)
    function = types.FunctionType(code, namespace, None, None, cells or None)
    positional, keywords = _arguments(code, world)

    def work() -> str:
        try:
            result = _drive(world, function(*positional, **keywords))
        except (Halt, Stuck) as stop:
            return type(stop).__name__
        except BaseException as error:
            chain = [describe(error), describe(error.__cause__), describe(error.__context__)]
            return "raised " + ", ".join(chain)
        return "returned " + describe(result)

    hook, sys.unraisablehook = sys.unraisablehook, lambda unraisable: None  # a generator closed late may meet the injection
    try:
        ending = _watched(work, seconds)
    except Stuck:
        ending = "Stuck"
    finally:
        sys.unraisablehook = hook
    left = [f"{name} is {describe(cell.cell_contents)}" for name, cell in zip(code.co_freevars, cells) if _filled(cell)]
    handled = sys.exc_info()[1]
    left += namespace.stored()
    return world.log + [ending] + left + [f"afterwards handling {describe(handled)}"]


def _filled(cell: Any) -> bool:
    try:
        return bool((cell.cell_contents,))
    except ValueError:
        return False


def compare(
    first: types.CodeType, second: types.CodeType, seeds: int = 4, injections: int = 30, start: int = 0
) -> Optional[Difference]:
    """The first run that tells the two apart, or None: for each seed a free run, then an exception at each event."""
    names = set(first.co_names)
    kinds = (Injected, *(EXCEPTIONS[name] for name in sorted(names & set(EXCEPTIONS))))
    for seed in range(start, start + seeds):
        free = trace(first, seed, None, kinds)
        if "Stuck" in free:
            continue
        other = trace(second, seed, None, kinds)
        if free != other:
            return Difference(seed, None, free, other)
        events = min(len(free), injections)
        for number in range(events):
            mine, theirs = trace(first, seed, number, kinds), trace(second, seed, number, kinds)
            if mine != theirs:
                return Difference(seed, number, mine, theirs)
    return None


def runnable(code: types.CodeType) -> types.CodeType:
    """The code with each load of a local checked and owned: an edited one may load what is not there any more."""
    if VERSION < (3, 12):
        return code
    assembly = disassemble(code)
    cells = set(assembly.cellvars) | set(assembly.freevars)
    for index in range(len(assembly.instructions) - 1, -1, -1):
        instruction = assembly.instructions[index]
        op = instruction.op.replace("LOAD_FAST_BORROW", "LOAD_FAST")
        if op == "LOAD_FAST_LOAD_FAST":
            second = Instruction("LOAD_FAST_CHECK", slots=instruction.slots[1:])
            assembly.instructions.insert(index + 1, second)
            instruction.op, instruction.slots = "LOAD_FAST_CHECK", instruction.slots[:1]
        elif op == "LOAD_FAST" and instruction.slots[0] not in cells:
            instruction.op = "LOAD_FAST_CHECK"
    return assembly.assemble()


def spilled_pairs(seed: int, count: int) -> Iterator[Tuple[str, str, Any, Any]]:
    """(name, verdict, first, second) for functions and their spilled forms."""
    from tools.mutants import functions_of
    from tools.roundtrip import prove
    from tools.sources import choose, stdlib_files
    from tools.spiller import spill_all

    for source in choose(stdlib_files("library"), count, seed):
        for qualname, code in functions_of(source):
            other = spill_all(code)
            yield f"{source.name}:{qualname}", prove(qualname, code, other).status, code, other


def decompiled_pairs(seed: int, count: int) -> Iterator[Tuple[str, str, Any, Any]]:
    from depyf import Decompiler
    from tools.mutants import functions_of
    from tools.roundtrip import attempt, prove
    from tools.sources import choose, stdlib_files

    for source in choose(stdlib_files("library"), count, seed):
        for qualname, code in functions_of(source):
            back = functools.partial(Decompiler.decompile_and_compile_like, code, code)
            other, _ = attempt("decompile", back)
            if other is not None:
                yield f"{source.name}:{qualname}", prove(qualname, code, other).status, code, other


def mutant_pairs(seed: int, count: int) -> Iterator[Tuple[str, str, Any, Any]]:
    """Only what is memory-safe to run: a mutant with another jump may leave the interpreter's stack in any state."""
    from tools.mutants import make, mutants

    safe = ("constant", "argument", "operands' order")
    for mutant in mutants(seed, each=2):
        pair = make(mutant.original, mutant.mutation)
        proven = mutant.status == "EQUAL" and mutant.mutation.kind == "jump target"
        if pair is not None and isinstance(pair[0], types.CodeType) and (mutant.mutation.kind in safe or proven):
            yield mutant.name, mutant.status, runnable(pair[0]), runnable(pair[1])


AGAINST = {"spilled": spilled_pairs, "mutants": mutant_pairs, "decompiled": decompiled_pairs}


def main(arguments: Optional[List[str]] = None) -> int:
    from itertools import islice

    from tools.progress import progress, table

    it = argparse.ArgumentParser(prog="differential", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    it.add_argument("--against", choices=sorted(AGAINST), default="spilled")
    it.add_argument("--count", type=int, default=200, help="pairs to run")
    it.add_argument("--modules", type=int, default=20, help="modules they are taken from")
    it.add_argument("--seed", type=int, default=0)
    it.add_argument("--worlds", type=int, default=3, help="free runs of each pair, each with its injections")
    it.add_argument("--show", type=int, default=5)
    options = it.parse_args(arguments)
    counts: Dict[Tuple[str, str], int] = Counter()
    wrong = []
    pairs = islice(AGAINST[options.against](options.seed, options.modules), options.count)
    for name, status, first, second in progress(pairs, options.count, "differential"):
        found = compare(first, second, options.worlds)
        counts[status, "same" if found is None else "told apart"] += 1
        if found is not None and status == "EQUAL":
            wrong.append((name, found))
    for name, found in wrong[: options.show]:
        print(f"{name} is EQUAL, and yet: {found}")
    rows = [[status, counts[status, "same"], counts[status, "told apart"]] for status in sorted({s for s, _ in counts})]
    print(table(("{}.{} {}".format(*VERSION, options.against), "same runs", "told apart"), rows))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
