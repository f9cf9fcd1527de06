"""Constants as text: each literal is written so that it compiles back to the same object, bit for bit.

A constant without a literal (an object that PyTorch put there, a frozenset, a subclass of int) has no text
here: `scalar` gives None, and the writer names it instead.
"""

from __future__ import annotations

import math
import struct
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

INFINITY = "1e309"  # overflows to inf, and unlike float("inf") it is a constant
WIDE = 1 << 32
MANY_BITS = 2000  # beyond this an int is written in base 16: str(int) is quadratic, and limited by the interpreter


def scalar(value: Any) -> Optional[str]:
    """The literal for a constant that holds no others; None when there is none."""
    writer = WRITERS.get(type(value))
    return None if writer is None else writer(value)


def is_literal(value: Any) -> bool:
    """Whether `value` can be written as literals all the way down."""
    pending: List[Any] = [value]
    while pending:
        item = pending.pop()
        kind = type(item)
        if kind is tuple:
            pending.extend(item)
        elif kind not in ALWAYS and scalar(item) is None:
            return False
    return True


def string(value: str) -> str:
    """A str on one line: double quotes, unless that takes more escapes; raw where that saves backslashes."""
    text = repr(value)
    if "\\" in value and value[-1] != "\\" and value.isprintable():
        if '"' not in value:
            return f'r"{value}"'
        if "'" not in value:
            return f"r'{value}'"
    if text[0] == "'" and '"' not in value:  # then it holds no single quote either
        return '"' + text[1:-1] + '"'
    return text


def bytes_(value: bytes) -> str:
    text = repr(value)
    if text[1] == "'" and b'"' not in value:
        return 'b"' + text[2:-1] + '"'
    return text


def integer(value: int) -> str:
    if -WIDE < value < WIDE:
        return str(value)
    based = hex(value)
    if value.bit_length() < MANY_BITS:
        decimal = str(value)
        if "0000" in decimal or not ("0000" in based or "ffff" in based):
            return decimal
    return based  # a mask or a power of two


def floating(value: float) -> Optional[str]:
    if value != value:
        return not_a_number(value)
    if math.isinf(value):
        return INFINITY if value > 0 else "-" + INFINITY
    return repr(value)


def not_a_number(value: float) -> Optional[str]:
    """The compiler folds inf - inf; which sign that gives is up to the processor."""
    infinity = float("inf")
    bits = struct.pack("<d", value)
    if bits == struct.pack("<d", infinity - infinity):
        return f"({INFINITY} - {INFINITY})"
    if bits == struct.pack("<d", -(infinity - infinity)):
        return f"(-({INFINITY} - {INFINITY}))"
    return None


def complex_(value: complex) -> Optional[str]:
    """A sum that folds to `value`. Zeros lose their sign in a sum, and which nan comes of two is up to the processor, so every
    candidate is tried out first."""
    bits = struct.pack("<dd", value.real, value.imag)
    for text, result in _sums(value):
        if struct.pack("<dd", result.real, result.imag) == bits:
            return text
    return None


def _sums(value: complex) -> Iterator[Tuple[str, complex]]:
    """Expressions, the plainest first, with what each gives."""
    real, minus_real = floating(value.real), floating(-value.real)
    for imaginary, unit in _imaginaries(value.imag):
        yield f"{imaginary}", unit
        yield f"-{imaginary}", -unit
        yield f"({real}+{imaginary})", value.real + unit
        yield f"({real}-{imaginary})", value.real - unit
        yield f"(-({minus_real}+{imaginary}))", -(-value.real + unit)
        yield f"(-({minus_real}-{imaginary}))", -(-value.real - unit)


def _imaginaries(value: float) -> List[Tuple[str, complex]]:
    """What may stand for an imaginary part, but for its sign."""
    if value == value:
        return [(imaginary_part(abs(value)), complex(0, abs(value)))]
    infinity, text = complex(0, float("inf")), imaginary_part(float("inf"))
    return [(f"({text} - {text})", infinity - infinity), (f"(-({text} - {text}))", -(infinity - infinity))]


def imaginary_part(value: float) -> str:
    return (INFINITY if math.isinf(value) else repr(complex(0, value))) + ("j" if math.isinf(value) else "")


ALWAYS = frozenset([str, int, bool, type(None), bytes, type(Ellipsis)])  # types whose values all have a literal

WRITERS: Dict[type, Callable[[Any], Optional[str]]] = {
    str: string,
    int: integer,
    bool: repr,
    type(None): repr,
    float: floating,
    bytes: bytes_,
    complex: complex_,
    type(Ellipsis): lambda value: "...",
}
