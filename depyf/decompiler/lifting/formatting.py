"""`"%s" % (value,)`: newer compilers rewrite it to what an f-string does, if the left side is a literal.

Where bytecode applies `%` to a constant all the same, the source had something that only became one: an f-string
without values, or a sum of literals. The text must have such a thing too, or it would compile to other instructions.
"""

from __future__ import annotations

import re
from functools import lru_cache

from depyf.bytecode import graph_of

from ..tree import Const, Expr, JoinedStr, Starred, Tuple_

_REWRITTEN = re.compile(r"(?:[^%]|%%|%[-+ #0]*\d*(?:\.\d*)?[sra])*")


def format_operand(left: Expr, right: Expr) -> Expr:
    """The left side of `left % right`, as text that is not rewritten."""
    if not isinstance(left, Const) or not isinstance(left.value, str) or not isinstance(right, Tuple_):
        return left
    if not _compiler_rewrites() or not _REWRITTEN.fullmatch(left.value) or any(isinstance(v, Starred) for v in right.items):
        return left
    return JoinedStr([left.value], "f", left.offset) if _is_rewritten(left.value, len(right.items)) else left


@lru_cache(maxsize=None)
def _compiler_rewrites() -> bool:
    return _is_rewritten("%s", 1)


def _is_rewritten(text: str, count: int) -> bool:
    """Asks the compiler, with names in the place of the values."""
    code = compile(f"{text!r} % ({'a, ' * count})", "<format>", "eval", dont_inherit=True)
    return not any(i.op == "BINARY" for block in graph_of(code).blocks for i in block.instructions)
