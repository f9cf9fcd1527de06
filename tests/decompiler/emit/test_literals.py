"""Every constant that has a literal compiles back to itself, bit for bit; every other one is named and kept."""

from __future__ import annotations

import dis
import math
import struct
import sys
from typing import Any, List

import pytest

from depyf.decompiler import tree as t
from depyf.decompiler.emit import emit

INF = float("inf")
HALF = 2.0**-1074

SCALARS = [
    None,
    True,
    False,
    ...,
    0,
    7,
    -1,
    -(10**30),
    2**64,
    -(2**64) + 1,
    123456789012345678901234567890,
    10**999,
    -(7**6000),
    0.0,
    -0.0,
    1.5,
    -2.25,
    1e300,
    1e22,
    1e16,
    HALF,
    INF,
    -INF,
    0j,
    complex(-0.0, 0.0),
    complex(0.0, -0.0),
    complex(-0.0, -0.0),
    2j,
    -2j,
    complex(0.0, -2.0),
    complex(-0.0, 2.0),
    1 + 2j,
    1 - 2j,
    -1 + 2j,
    -1 - 2j,
    complex(1.0, -0.0),
    complex(-1.0, -0.0),
    complex(-1.0, 0.0),
    complex(INF, 2.0),
    complex(-INF, -2.0),
    complex(2.0, INF),
    complex(2.0, -INF),
    "",
    "plain",
    "it's",
    'say "x"',
    "both ' and \"",
    "\\",
    "\\d+",
    "\\'",
    "ends in \\",
    'raw \\w "',
    "\\ and ' and \"",
    "tab\tnewline\nreturn\rnul\0bell\a",
    "\x7f\x80\xa0\xad",
    "\u2028\u2029\ufeff",
    "ünïcödé 漢字 \U0001f600",
    "\ud800 lone",
    "\udcff",
    "{braces}",
    "line one\n" * 12,
    'line "one"\n' * 12 + '"""',
    "quotes at the end\n" * 8 + "''' and \"\"\"",
    "trailing space \n" * 12,
    "tab\tinside\n" * 12,
    "back\\slash\n" * 12,
    "x" * 500,
    "words and words " * 40,
    "\x00\x01\xff" * 100,
    b"",
    b"plain",
    b"it's",
    b'say "x"',
    b"both ' and \"",
    bytes(range(256)),
    bytes(range(256)) * 4,
]

TUPLES = [
    (),
    (1,),
    (1, 2),
    ((), (1,), ((2,), -0.0)),
    (None, True, ..., "a", b"b", 1 - 2j),
    tuple(range(300)),
    tuple(str(i) * 9 for i in range(300)),
]


def bits(value: Any) -> Any:
    """A form in which only the very same constants are equal."""
    if isinstance(value, float):
        return float, struct.pack("<d", value)
    if isinstance(value, complex):
        return complex, struct.pack("<dd", value.real, value.imag)
    if isinstance(value, tuple):
        return tuple, tuple(bits(item) for item in value)
    return type(value), value


def check(value: Any, width: int = 100) -> None:
    """A function that uses the constant gets it back, as a constant: the compiler has folded what was written."""
    body = [
        t.ExprStmt(t.Call(t.Name("seen"), [t.Const(value)], [])),
        t.Assign([t.Name("x")], t.Const(value)),
        t.Return(t.Const(value)),
    ]
    emitted = emit(t.FunctionDef("function", [], body), width=width)
    assert not emitted.objects
    seen: List[Any] = []
    namespace: Any = {"seen": seen.append}
    exec(compile(emitted.text, "<emitted>", "exec", dont_inherit=True), namespace)
    seen.append(namespace["function"]())
    assert [bits(item) for item in seen] == [bits(value)] * 2
    for opcode in namespace["function"].__code__.co_code[::2]:
        assert not dis.opname[opcode].startswith(("BINARY", "UNARY", "BUILD")), emitted.text


@pytest.mark.parametrize("value", SCALARS + TUPLES, ids=range(len(SCALARS + TUPLES)))
@pytest.mark.parametrize("width", [100, 20])
def test_literal_comes_back(value: Any, width: int) -> None:
    check(value, width)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_nan_comes_back_with_its_sign(sign: float) -> None:
    check(math.copysign(float("nan"), sign))


@pytest.mark.parametrize(
    "value, expected",
    [
        (65536, "65536"),
        (1 << 32, "0x100000000"),
        (10**12, "1000000000000"),
        (123456789012345, "123456789012345"),
        (-(1 << 63) - 1, "-0x8000000000000001"),
        (0xFFFFFFFFFFFF, "0xffffffffffff"),
    ],
)
def test_masks_are_hexadecimal(value: int, expected: str) -> None:
    assert emit(t.Return(t.Const(value))).text == f"return {expected}\n"


@pytest.mark.parametrize("real", [math.nan, -math.nan, INF, -INF, 0.0, -0.0, 1.5])
@pytest.mark.parametrize("imaginary", [math.nan, -math.nan, INF, -INF, 0.0, -0.0, 1.5])
def test_complex_comes_back_with_its_signs(real: float, imaginary: float) -> None:
    check(complex(real, imaginary))


def test_nan_with_a_payload_is_named() -> None:
    value = struct.unpack("<d", struct.pack("<Q", 0x7FF8_0000_0000_1234))[0]
    emitted = emit(t.Return(t.Const(value)))
    assert emitted.text == "return __const_nan\n"
    assert emitted.objects["__const_nan"] is value


class Number(int):
    pass


@pytest.mark.parametrize(
    "value, name",
    [
        (sys, "__module_sys"),
        (int, "__const_int"),
        (frozenset({1}), "__const_frozenset_1"),
        (Number(3), "__const_3"),
        (object(), "__const_object"),
        ((1, object()), "__const_tuple"),
        ((lambda: 0).__code__, "__code_lambda"),
        (slice(1, 2), "__const_slice_1_2_None"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_other_constants_are_named(value: Any, name: str) -> None:
    emitted = emit(t.Return(t.Const(value)))
    assert emitted.text == f"return {name}\n"
    assert emitted.objects[name] is value


def test_one_name_for_each_object() -> None:
    one, other = object(), object()
    emitted = emit(t.Return(t.List_([t.Const(one), t.Const(other), t.Const(one)])))
    assert emitted.text == "return [__const_object, __const_object_1, __const_object]\n"
    assert emitted.objects == {"__const_object": one, "__const_object_1": other}


def test_a_name_of_the_text_is_never_taken() -> None:
    value = object()
    emitted = emit(t.Return(t.List_([t.Const(value), t.Name("__const_object")])))
    assert emitted.text == "return [__const_object_1, __const_object]\n"
    assert emitted.objects == {"__const_object_1": value}


def test_names_of_objects_are_not_mangled_in_classes() -> None:
    value = object()
    method = t.FunctionDef("f", [], [t.Return(t.Const(value))])
    emitted = emit(t.ClassDef("C", [], [], [method]))
    namespace: Any = dict(emitted.objects)
    exec(emitted.text, namespace)
    assert namespace["C"].f() is value


def test_an_object_that_cannot_be_shown() -> None:
    class Hostile:
        def __repr__(self) -> str:
            raise ValueError

    value = Hostile()
    assert emit(t.Return(t.Const(value))).objects == {"__const_Hostile": value}
