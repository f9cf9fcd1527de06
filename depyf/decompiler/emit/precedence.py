"""How tightly each expression binds, in the order of Python's grammar.

A child is written in parentheses when it binds less tightly than its place asks for. What depends on more
than a node's class (an operator, a constant's sign) is looked up by operator, or asked of `literals`.
"""

from __future__ import annotations

from typing import Dict

from .. import tree
from ..lifting import values

WALRUS = 0
YIELD = 1
TUPLE = 2
TEST = 3  # lambda, conditional expression
OR = 4
AND = 5
NOT = 6
COMPARISON = 7
BIT_OR = 8
BIT_XOR = 9
BIT_AND = 10
SHIFT = 11
SUM = 12
TERM = 13
FACTOR = 14
POWER = 15
AWAIT = 16
ATOM = 17

OF_OPERATOR: Dict[str, int] = {
    "|": BIT_OR,
    "^": BIT_XOR,
    "&": BIT_AND,
    "<<": SHIFT,
    ">>": SHIFT,
    "+": SUM,
    "-": SUM,
    "*": TERM,
    "/": TERM,
    "//": TERM,
    "%": TERM,
    "@": TERM,
    "**": POWER,
}

# classes whose precedence is the same whatever they hold; the others are in `Writer.weigh`
OF_CLASS: Dict[type, int] = {
    tree.Name: ATOM,
    tree.Verbatim: ATOM,  # stands only where any expression may
    values.Local: ATOM,
    values.Builtin: ATOM,
    values.ClosureCell: ATOM,
    tree.Attr: ATOM,
    tree.Item: ATOM,
    tree.Call: ATOM,
    tree.Compare: COMPARISON,
    tree.IfExp: TEST,
    tree.Lambda: TEST,
    tree.NamedExpr: WALRUS,
    tree.Starred: TEST,  # never in parentheses: it stands only where it may
    tree.List_: ATOM,
    tree.Set_: ATOM,
    tree.Dict_: ATOM,
    tree.Slice: ATOM,
    tree.Yield: YIELD,
    tree.YieldFrom: YIELD,
    tree.Await: AWAIT,
    tree.Comprehension: ATOM,
}
