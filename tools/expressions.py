"""Random Python expressions as text, for `tools.programs`: every kind that the running version has.

What a scope allows (yield, await, walrus) is respected; rarer rules are left to the compiler, whose refusal makes the
caller try again.
"""

from __future__ import annotations

import random
import sys
from typing import NamedTuple

VERSION = sys.version_info[:2]

NAMES = "abcdxyz"
GLOBALS = "ghE"
OPERATORS = ("+", "-", "*", "/", "//", "%", "**", "@", "<<", ">>", "&", "|", "^")
COMPARISONS = ("<", "<=", "==", "!=", ">", ">=", "is", "is not", "in", "not in")
CONSTANTS = (
    "0", "1", "-1", "255", "1000000", "1.5", "-0.0", "1e309", "2j", "None", "True", "False", "...", "'text'", "''", "b'bytes'",
    "()", "(1, 2)", "'a' 'b'", "0x7fffffffffffffff", "'\\n\\t\"\\''", "'\\u00e9\\U0001f600'", "not_defined",
)  # fmt: skip


class Scope(NamedTuple):
    """What an expression may hold where it stands."""

    function: bool = False
    coroutine: bool = False
    generator: bool = False
    klass: bool = False
    comprehension: bool = False
    bound: str = "abcdxyz"  # names that may be assigned here; in a function only what it binds at its start

    # A local that is read before anything binds it raises, and everything behind it would be dead code that proves nothing.


class Expressions:
    """Expressions by kind; `depth` is how much further one may nest."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance

    def rarely(self) -> bool:
        return self.chance.random() < 0.15

    def name(self, scope: Scope) -> str:
        return self.chance.choice(NAMES if self.chance.random() < 0.85 else GLOBALS)

    def assigned(self, scope: Scope) -> str:
        """A name to store to."""
        return self.chance.choice(scope.bound or "t")

    def attribute(self) -> str:
        return self.chance.choice(("u", "v", "_w", "__private"))

    def operator(self) -> str:
        return self.chance.choice(OPERATORS)

    def constant(self) -> str:
        return self.chance.choice(CONSTANTS)

    def atom(self, scope: Scope) -> str:
        return self.name(scope) if self.chance.random() < 0.65 else self.constant()

    def expression(self, scope: Scope, depth: int = 3) -> str:
        """Any expression."""
        if depth <= 0:
            return self.atom(scope)
        kinds = [
            self.atom, self.atom, self.binary, self.binary, self.unary, self.comparison, self.boolean, self.conditional,
            self.calling, self.calling, self.member, self.item, self.display, self.mapping, self.comprehension,
            self.function_value, self.formatted, self.in_parentheses,
        ]  # fmt: skip
        if scope.generator and not scope.comprehension and self.rarely():
            return f"(yield {self.atom(scope)})"
        if scope.coroutine and self.rarely():
            return f"(await {self.calling(scope, depth - 1)})"
        if scope.function and scope.bound and not scope.comprehension and self.rarely():
            return f"({self.assigned(scope)} := {self.expression(scope, depth - 1)})"
        chosen = self.chance.choice(kinds)
        return chosen(scope) if chosen == self.atom else chosen(scope, depth - 1)  # type: ignore[call-arg,arg-type]

    def condition(self, scope: Scope, depth: int = 2) -> str:
        """What tests are made of mostly."""
        draw = self.chance.randrange(8)
        if draw < 2:
            # rarely a constant, which makes one branch dead
            return self.atom(scope) if self.rarely() else self.name(scope)
        if draw < 4:
            return self.comparison(scope, depth - 1)
        if draw < 6:
            return self.boolean(scope, depth)
        return f"not {self.condition(scope, depth - 1)}" if depth > 0 else self.expression(scope, 1)

    def in_parentheses(self, scope: Scope, depth: int) -> str:
        return f"({self.expression(scope, depth)})"

    def operand(self, scope: Scope, depth: int) -> str:
        if depth > 0 and self.chance.random() < 0.5:
            return f"({self.expression(scope, depth)})"
        return self.name(scope) if self.chance.random() < 0.75 else self.constant()

    def binary(self, scope: Scope, depth: int) -> str:
        return f"{self.operand(scope, depth)} {self.operator()} {self.operand(scope, depth)}"

    def unary(self, scope: Scope, depth: int) -> str:
        return f"{self.chance.choice(('-', '~', '+', 'not '))}{self.operand(scope, depth)}"

    def comparison(self, scope: Scope, depth: int) -> str:
        count = self.chance.choice((1, 1, 1, 2, 3))
        parts = [self.operand(scope, depth)]
        for _ in range(count):
            parts += [self.chance.choice(COMPARISONS), self.operand(scope, depth)]
        return " ".join(parts)

    def boolean(self, scope: Scope, depth: int) -> str:
        word = self.chance.choice((" and ", " or "))
        parts = []
        for _ in range(self.chance.choice((2, 2, 3))):
            draw = self.chance.random()
            if draw < 0.3 and depth > 0:
                parts.append(f"({self.boolean(scope, depth - 1)})")
            elif draw < 0.5:
                parts.append(f"not {self.operand(scope, depth)}")
            else:
                parts.append(self.comparison(scope, depth - 1) if self.rarely() else self.operand(scope, depth))
        return word.join(parts)

    def conditional(self, scope: Scope, depth: int) -> str:
        return f"({self.operand(scope, depth)} if {self.condition(scope, depth)} else {self.operand(scope, depth)})"

    def calling(self, scope: Scope, depth: int) -> str:
        callee = self.chance.choice((self.name(scope), f"{self.name(scope)}.{self.attribute()}", f"{self.name(scope)}.m(1).n"))
        arguments = [self.expression(scope, depth - 1) for _ in range(self.chance.choice((0, 1, 1, 2)))]
        if self.rarely():
            arguments.append(f"*{self.atom(scope)}")
        if self.rarely():
            arguments.append(f"k={self.expression(scope, depth - 1)}")
        if self.rarely():
            arguments.append(f"**{self.name(scope)}")
            if self.rarely():
                arguments.append(f"l={self.atom(scope)}")
        return f"{callee}({', '.join(arguments)})"

    def member(self, scope: Scope, depth: int) -> str:
        return f"{self.name(scope)}.{self.attribute()}"

    def subscript(self, scope: Scope) -> str:
        return self.chance.choice((
            self.atom(scope), f"{self.atom(scope)}:{self.atom(scope)}", ":", f"{self.name(scope)}:", f":{self.name(scope)}:2",
            "1:2", f"{self.name(scope)}, {self.constant()}", f"{self.name(scope)}:1, ...",
        ))  # fmt: skip

    def item(self, scope: Scope, depth: int) -> str:
        return f"{self.name(scope)}[{self.subscript(scope)}]"

    def display(self, scope: Scope, depth: int) -> str:
        items = [self.expression(scope, depth - 1) for _ in range(self.chance.choice((0, 1, 2, 3)))]
        if self.rarely():
            items.append(f"*{self.name(scope)}")
            items += [self.atom(scope)] * self.rarely()
        joined = ", ".join(items)
        if not items:
            return self.chance.choice(("[]", "()"))
        return self.chance.choice((f"[{joined}]", f"({joined},)", f"{{{joined}}}"))

    def mapping(self, scope: Scope, depth: int) -> str:
        items = [f"{self.atom(scope)}: {self.expression(scope, depth - 1)}" for _ in range(self.chance.choice((0, 1, 2)))]
        if self.rarely():
            items.insert(0, f"**{self.name(scope)}")
        return f"{{{', '.join(items)}}}"

    def comprehension(self, scope: Scope, depth: int) -> str:
        inner = scope._replace(comprehension=True, coroutine=scope.coroutine and VERSION >= (3, 11))
        word = "async for" if inner.coroutine and self.rarely() else "for"
        target = self.chance.choice(("i", "i", "(i, j)", "(i, *j)", "(i, a)"))
        clauses = [f"{word} {target} in {self.operand(inner, depth - 1)}"]
        if self.rarely():
            clauses.append(f"for k in {self.chance.choice(('i', 'j', self.name(scope)))}")
        if self.chance.random() < 0.35:
            clauses.append(f"if {self.condition(inner, depth - 1)}")
        if self.rarely():
            clauses.append("if i")
        element = self.chance.choice(("i", self.expression(inner, depth - 1), f"i + {self.atom(inner)}"))
        tail = " ".join(clauses)
        return self.chance.choice((
            f"[{element} {tail}]", f"[{element} {tail}]", f"{{{element} {tail}}}", f"({element} {tail})",
            f"{{{self.atom(inner)}: {element} {tail}}}", f"sum({element} {tail})",
        ))  # fmt: skip

    def function_value(self, scope: Scope, depth: int) -> str:
        parameters = self.chance.choice(("", "a", "a, b=1", "*args", "a, *, k=None", "**kw", "a, /"))
        inner = Scope(function=True, bound="")
        return f"(lambda {parameters}: {self.expression(inner, depth - 1)})"

    def formatted(self, scope: Scope, depth: int) -> str:
        parts = []
        for _ in range(self.chance.randint(1, 3)):
            value = self.chance.choice((self.name(scope), f"{self.name(scope)}.u", f"{self.name(scope)}[0]"))
            conversion = self.chance.choice(("", "", "!r", "!s", "!a"))
            spec = self.chance.choice(("", "", ":>10", f":{{{self.name(scope)}}}", f":.{{{self.name(scope)}}}f"))
            parts.append(self.chance.choice(("", "text ", "{{", "\\n", "é")) + f"{{{value}{conversion}{spec}}}")
        prefix = "t" if VERSION >= (3, 14) and self.rarely() else "f"
        return prefix + "'" + "".join(parts) + "'"
