"""Random Python programs that compile: every statement and expression that the running version has, nested at random.

`program(seed)` is deterministic for a version. The programs are made to be compiled, not run: names may be unbound, and
nothing is ever called. A piece that the compiler refuses is made again with the next number.
"""

from __future__ import annotations

import argparse
import random
import sys
from typing import Callable, List, NamedTuple, Optional

from tools.expressions import NAMES, Expressions, Scope
from tools.sources import compile_text

VERSION = sys.version_info[:2]


class Place(NamedTuple):
    """What is allowed where a statement stands."""

    scope: Scope
    in_loop: bool = False
    may_leave: bool = True  # not so inside except*

    def loop(self) -> Place:
        return self._replace(in_loop=True, may_leave=True)


class Programs(Expressions):
    """Makes statements on top of expressions; lists of lines, four spaces a level."""

    def __init__(self, seed: int) -> None:
        super().__init__(random.Random(seed))
        self.budget = 0
        self.functions = 0

    def block(self, place: Place, depth: int, most: int = 4) -> List[str]:
        """One statement or more."""
        lines: List[str] = []
        for _ in range(self.chance.randint(1, most)):
            lines += self.statement(place, depth)
            if lines and lines[-1].strip().split(" ")[0] in ("return", "raise", "break", "continue") and not self.rarely():
                break
        return lines

    def indented(self, place: Place, depth: int, most: int = 4) -> List[str]:
        return ["    " + line for line in self.block(place, depth - 1, most)]

    def statement(self, place: Place, depth: int) -> List[str]:
        """One statement, compound only while there is depth and budget left."""
        self.budget -= 1
        simple = depth <= 0 or self.budget <= 0
        choices = self.simple_statements(place) if simple or self.chance.random() < 0.5 else self.compound_statements(place)
        return self.chance.choice(choices)(place, depth)

    # simple statements

    def simple_statements(self, place: Place) -> List[Callable[[Place, int], List[str]]]:
        found = [self.assign, self.assign, self.assign, self.augmented, self.call, self.call, self.annotated, self.delete,
                 self.asserted, self.imported, self.passed]  # fmt: skip
        if place.scope.function and place.may_leave:
            found += [self.returned, self.returned]
        if place.scope.generator:
            found += [self.yielded] * 2
        if place.scope.coroutine:
            found.append(self.awaited)
        if place.in_loop and place.may_leave:
            found += [self.broken, self.continued]
        return found + [self.raised]

    def assign(self, place: Place, depth: int) -> List[str]:
        value = self.expression(place.scope)
        targets = [self.target(place.scope) for _ in range(self.chance.choice((1, 1, 1, 1, 2)))]
        return [" = ".join(targets + [value])]

    def target(self, scope: Scope, depth: int = 1) -> str:
        draw = self.chance.randrange(10)
        if draw < 6:
            return self.assigned(scope)
        if draw < 7:
            return f"{self.name(scope)}.{self.attribute()}"
        if draw < 8:
            return f"{self.name(scope)}[{self.subscript(scope)}]"
        if depth == 0:
            return self.assigned(scope)
        parts = [self.target(scope, depth - 1) for _ in range(self.chance.randint(2, 3))]
        if self.rarely():
            parts[-1] = f"*{self.assigned(scope)}"
        return f"({', '.join(parts)})"

    def augmented(self, place: Place, depth: int) -> List[str]:
        target = self.chance.choice((
            self.assigned(place.scope) if place.scope.bound else "g.u", f"{self.name(place.scope)}.{self.attribute()}",
            f"{self.name(place.scope)}[{self.subscript(place.scope)}]",
        ))  # fmt: skip
        return [f"{target} {self.operator()}= {self.expression(place.scope)}"]

    def call(self, place: Place, depth: int) -> List[str]:
        return [self.calling(place.scope, 2)]

    def annotated(self, place: Place, depth: int) -> List[str]:
        target = self.chance.choice((f"v{self.chance.randrange(3)}", f"{self.name(place.scope)}.{self.attribute()}"))
        value = f" = {self.expression(place.scope)}" if self.chance.random() < 0.7 else ""
        return [f"{target}: {self.chance.choice(('int', 'list[str]', 'T.x'))}{value}"]

    def delete(self, place: Place, depth: int) -> List[str]:
        forms = [f"{self.name(place.scope)}.{self.attribute()}", f"{self.name(place.scope)}[0]"]
        if self.chance.random() < 0.4:  # a name of its own: one that is read later would be unbound then
            return [f"t = {self.expression(place.scope, 1)}", f"del {self.chance.choice(('t', 't, ' + forms[0]))}"]
        return [f"del {', '.join(self.chance.sample(forms, self.chance.choice((1, 1, 2))))}"]

    def asserted(self, place: Place, depth: int) -> List[str]:
        message = f", {self.expression(place.scope, 1)}" if self.chance.random() < 0.5 else ""
        return [f"assert {self.condition(place.scope)}{message}"]

    def imported(self, place: Place, depth: int) -> List[str]:
        forms = ["import os", "import os.path", "import os.path as m", "import sys as n, os", "from os import path",
                 "from os import path as m, sep", "from . import k", "from ..y import z as n"]  # fmt: skip
        if not place.scope.function and not place.scope.klass:
            forms.append("from os import *")
        return [self.chance.choice(forms)]

    def passed(self, place: Place, depth: int) -> List[str]:
        return ["pass"]

    def returned(self, place: Place, depth: int) -> List[str]:
        if self.rarely() or (place.scope.coroutine and place.scope.generator):
            return ["return"]
        return [f"return {self.expression(place.scope)}"]

    def yielded(self, place: Place, depth: int) -> List[str]:
        kinds = ["yield", f"yield {self.expression(place.scope)}", f"{self.assigned(place.scope)} = yield {self.atom(place.scope)}"]
        if not place.scope.coroutine:
            kinds.append(f"{self.assigned(place.scope)} = yield from {self.atom(place.scope)}")
        return [self.chance.choice(kinds)]

    def awaited(self, place: Place, depth: int) -> List[str]:
        return [f"{self.assigned(place.scope)} = await {self.calling(place.scope, 1)}"]

    def broken(self, place: Place, depth: int) -> List[str]:
        return ["break"]

    def continued(self, place: Place, depth: int) -> List[str]:
        return ["continue"]

    def raised(self, place: Place, depth: int) -> List[str]:
        return [self.chance.choice(("raise", f"raise {self.calling(place.scope, 1)}",
                                    f"raise {self.name(place.scope)} from {self.atom(place.scope)}"))]  # fmt: skip

    # compound statements

    def compound_statements(self, place: Place) -> List[Callable[[Place, int], List[str]]]:
        found = [self.branch, self.branch, self.branch, self.while_loop, self.for_loop, self.for_loop, self.attempt,
                 self.attempt, self.managed, self.function, self.klass]  # fmt: skip
        if VERSION >= (3, 10):
            found.append(self.matched)
        if VERSION >= (3, 11):
            found.append(self.attempt_star)
        if VERSION >= (3, 12):
            found.append(self.alias)
        return found

    def branch(self, place: Place, depth: int) -> List[str]:
        lines = [f"if {self.condition(place.scope)}:", *self.indented(place, depth)]
        while self.chance.random() < 0.3:
            lines += [f"elif {self.condition(place.scope)}:", *self.indented(place, depth)]
        if self.chance.random() < 0.4:
            lines += ["else:", *self.indented(place, depth)]
        return lines

    def _loop_else(self, place: Place, depth: int) -> List[str]:
        return ["else:", *self.indented(place, depth)] if self.chance.random() < 0.25 else []

    def while_loop(self, place: Place, depth: int) -> List[str]:
        if self.chance.random() < 0.3:
            way_out = ["    " + line for line in (f"if {self.condition(place.scope)}:", "    break")]
            body = self.indented(place.loop(), depth)
            return ["while True:", *(way_out + body if self.chance.random() < 0.5 else body + way_out)]
        return [f"while {self.condition(place.scope)}:", *self.indented(place.loop(), depth), *self._loop_else(place, depth)]

    def for_loop(self, place: Place, depth: int) -> List[str]:
        word = "async for" if place.scope.coroutine and self.chance.random() < 0.4 else "for"
        head = f"{word} {self.target(place.scope)} in {self.expression(place.scope, 2)}:"
        return [head, *self.indented(place.loop(), depth), *self._loop_else(place, depth)]

    def attempt(self, place: Place, depth: int) -> List[str]:
        lines = ["try:", *self.indented(place, depth)]
        handlers = self.chance.choice((0, 1, 1, 1, 2))
        for _ in range(handlers):
            kind = self.chance.choice(("E", "E.x", "(E, F)"))
            bound = " as e" if self.chance.random() < 0.5 else ""
            lines += [f"except {kind}{bound}:", *self.indented(place, depth, 3)]
        if handlers and self.rarely():
            lines += ["except:", *self.indented(place, depth, 2)]
        if handlers and self.chance.random() < 0.3:
            lines += ["else:", *self.indented(place, depth, 2)]
        if not handlers or self.chance.random() < 0.3:
            # leaving from finally is legal, and 3.14 warns of it
            lines += ["finally:", *self.indented(place if self.rarely() else place._replace(may_leave=False), depth, 2)]
        return lines

    def attempt_star(self, place: Place, depth: int) -> List[str]:
        inside = place._replace(may_leave=False, in_loop=False)
        bound = " as e" if self.chance.random() < 0.5 else ""
        lines = ["try:", *self.indented(place, depth, 2), f"except* E{bound}:", *self.indented(inside, depth, 2)]
        if self.rarely():
            lines += ["except* (F, G):", *self.indented(inside, depth, 2)]
        if self.rarely():
            lines += ["else:", *self.indented(place, depth, 2)]
        if self.rarely():
            lines += ["finally:", *self.indented(inside, depth, 2)]
        return lines

    def managed(self, place: Place, depth: int) -> List[str]:
        word = "async with" if place.scope.coroutine and self.chance.random() < 0.5 else "with"
        items = []
        for _ in range(self.chance.choice((1, 1, 2))):
            bound = f" as {self.target(place.scope)}" if self.chance.random() < 0.6 else ""
            items.append(self.calling(place.scope, 1) + bound)
        return [f"{word} {', '.join(items)}:", *self.indented(place, depth)]

    def matched(self, place: Place, depth: int) -> List[str]:
        lines = [f"match {self.expression(place.scope, 1)}:"]
        for _ in range(self.chance.randint(1, 3)):
            guard = f" if {self.condition(place.scope)}" if self.rarely() else ""
            lines += [f"    case {self.pattern(2)}{guard}:", *("    " + line for line in self.indented(place, depth, 2))]
        if self.rarely():
            lines += ["    case _:", *("    " + line for line in self.indented(place, depth, 2))]
        return lines

    def pattern(self, depth: int) -> str:
        """A pattern that binds no name twice: names carry a number."""
        self.functions += 1
        fresh = f"p{self.functions}"
        plain = ["0", "-1", "'s'", "None", "True", fresh, "a.b", "1 + 2j", "b'x'"]
        if depth <= 0:
            return self.chance.choice(plain)
        below = [self.pattern(depth - 1) for _ in range(2)]
        refutable = [part for part in below if not part.startswith("p")] or ["1"]
        return self.chance.choice(plain + [
            f"[{', '.join(below)}]", f"({below[0]}, *{fresh})", f"[*_, {below[0]}]", f"{{'k': {below[0]}}}",
            f"{{'k': {below[0]}, **{fresh}}}", f"C({below[0]}, x={below[1]})", "C()", "{}", "[]",
            f"({refutable[0]}) as {fresh}", f"{self.literal_pattern()} | {self.literal_pattern()}",
        ])  # fmt: skip

    def literal_pattern(self) -> str:
        return self.chance.choice(("1", "'t'", "None", "[1, 2]", "C(x=1)", "a.c"))

    def alias(self, place: Place, depth: int) -> List[str]:
        return [self.chance.choice(("type A = list[int]", "type A[T] = dict[str, T]", "type A[*Ts, **P] = C[Ts, P]"))]

    def parameters(self, scope: Scope, names: List[str]) -> str:
        parts = []
        default = False
        for name in names:
            default = default or self.rarely()
            note = ": int" if self.rarely() else ""
            parts.append(f"{name}{note} = {self.atom(scope)}" if default else f"{name}{note}")
        if parts and self.rarely():
            parts.insert(1, "/")
        if self.rarely():
            parts.append("*args")
            if self.rarely():
                parts.append(f"key={self.atom(scope)}")
        elif self.rarely():
            parts += ["*", "key"]
        if self.rarely():
            parts.append("**kwargs")
        return ", ".join(parts)

    def function(self, place: Place, depth: int) -> List[str]:
        self.functions += 1
        coroutine, generator = self.chance.random() < 0.2, self.chance.random() < 0.2
        names = self.chance.sample(NAMES, self.chance.randint(0, 3))
        outer = place.scope.bound if place.scope.function else ""
        shared = [name for name in outer if name not in names and self.rarely()]
        more = [name for name in NAMES if name not in names and name not in shared and self.chance.random() < 0.3]
        more = more or [name for name in NAMES if name not in names and name not in shared][:1]
        everywhere = self.rarely()
        bound = "".join(names + shared + more) + ("gh" if everywhere else "")
        scope = Scope(function=True, coroutine=coroutine, generator=generator, bound=bound)
        inside = Place(scope)
        generic = "[T]" if VERSION >= (3, 12) and self.chance.random() < 0.08 else ""
        returns = " -> int" if self.chance.random() < 0.1 else ""
        head = f"{'async ' if coroutine else ''}def f{self.functions}{generic}({self.parameters(place.scope, names)}){returns}:"
        lines = [f"@{self.calling(place.scope, 1)}" for _ in range(self.chance.choice((0, 0, 0, 0, 1, 2)))]
        body: List[str] = []
        if self.rarely():
            body.append("'a docstring'")
        if shared:
            body.append(f"nonlocal {', '.join(shared)}")
        if everywhere:
            body.append("global g, h")
        body.append(f"{', '.join(more)}{',' if self.rarely() else ''} = E.first()")
        body += self.block(inside, depth - 1, 5)
        if generator:
            body += self.yielded(inside, 0)
        return lines + [head] + ["    " + line for line in body]

    def klass(self, place: Place, depth: int) -> List[str]:
        self.functions += 1
        generic = "[T]" if VERSION >= (3, 12) and self.chance.random() < 0.08 else ""
        bases = self.chance.choice(("", "(A)", "(A, B)", "(A, metaclass=M)", "(*a, **b)"))
        lines = [f"@{self.name(place.scope)}" for _ in range(self.chance.choice((0, 0, 0, 1)))]
        body = self.block(Place(Scope(klass=True)), 0, 2)
        for _ in range(self.chance.randint(0, 2)):
            method = self.function(Place(Scope(klass=True)), depth - 1)
            body += method
            if self.rarely():
                body.append("    return super().f(__class__)" if "async" not in method[0] else "    pass")
        return lines + [f"class C{self.functions}{generic}{bases}:"] + ["    " + line for line in body]

    def top_level(self) -> List[str]:
        """One definition or statement of a module."""
        self.budget = 25
        draw = self.chance.randrange(10)
        if draw < 7:
            return self.function(Place(Scope()), 4)
        return self.klass(Place(Scope()), 3) if draw < 9 else self.statement(Place(Scope()), 3)


def piece(seed: int) -> str:
    """One top-level piece that compiles."""
    for number in range(200):
        maker = Programs(seed * 1000 + number)
        text = "\n".join(maker.top_level()) + "\n"
        try:
            compile_text(text, "<random>")
        except (SyntaxError, ValueError):
            continue
        return text
    raise RuntimeError(f"no piece for seed {seed} compiles")


def program(seed: int, pieces: Optional[int] = None) -> str:
    """A module of a few pieces."""
    count = pieces or random.Random(seed).randint(1, 2)
    return "\n".join(piece(seed * 10 + number) for number in range(count))


def main(arguments: Optional[List[str]] = None) -> int:
    it = argparse.ArgumentParser(prog="programs", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    it.add_argument("seed", type=int, nargs="+", help="print the programs of these seeds")
    for seed in it.parse_args(arguments).seed:
        print(program(seed))
    return 0


if __name__ == "__main__":
    sys.exit(main())
