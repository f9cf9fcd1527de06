"""Code objects that no compiler wrote: `verify` says UNKNOWN, or DIFFERENT, and never raises or hangs."""

from __future__ import annotations

import dis
import sys
from types import CodeType
from typing import Any, List

import pytest
from hypothesis import given
from hypothesis import strategies as st

from depyf.proof import DIFFERENT, EQUAL, UNKNOWN, Verdict, verify
from tests.proof.cases import walk

TEXT = """
def f(a, *args, key=None, **kwargs):
    global total
    try:
        with a.b as c, open(key) as d:
            for x, (y, *z) in zip(c, d):
                if x and not y or z is None:
                    continue
                total = [g(i, key=x) for i in z if i > 1], {"a": x, **kwargs}
            else:
                del a.b, c[1:2]
    except (KeyError, ValueError) as error:
        raise RuntimeError(f"{error!r:>10}") from error
    finally:
        a.close(*args)
    while key:
        key = yield lambda: (a, key)
    return a[key] + -1 if a else ...
"""

CODES: List[CodeType] = list(walk(compile(TEXT, "<bad>", "exec")))
MAIN = next(code for code in CODES if code.co_name == "f")


def replaced(code: CodeType, data: bytes) -> CodeType:
    return code.replace(co_code=data)


def first_bytes(name: str, argument: int = 0) -> bytes:
    """The instructions before the first that matters, then this one."""
    start = bytes([dis.opmap["RESUME"], 0]) if "RESUME" in dis.opmap else b""
    return start + bytes([dis.opmap[name], argument])


def simple(data: bytes) -> CodeType:
    return replaced((lambda: 1).__code__, data)


BROKEN = {
    "truncated": simple(first_bytes("NOP")),
    "stack underflow": simple(first_bytes("POP_TOP") + first_bytes("RETURN_VALUE")[-2:]),
    "a jump into nowhere": simple(first_bytes("JUMP_FORWARD", 200)),
    "a constant that is not there": simple(first_bytes("LOAD_CONST", 200) + first_bytes("RETURN_VALUE")[-2:]),
    "a local that is not there": simple(first_bytes("LOAD_FAST", 90) + first_bytes("RETURN_VALUE")[-2:]),
}
if sys.version_info < (3, 11):  # later versions crash by themselves on an opcode that they do not know
    unused = next(number for number in range(1, 255) if number not in dis.opmap.values())
    BROKEN["an unknown opcode"] = simple(bytes([unused, 0]) + first_bytes("RETURN_VALUE"))
else:
    BROKEN["a broken exception table"] = MAIN.replace(co_exceptiontable=MAIN.co_exceptiontable[:-1])


@pytest.mark.parametrize("name", BROKEN)
def test_broken(name: str) -> None:
    broken = BROKEN[name]
    good = MAIN if broken.co_name == "f" else (lambda: 1).__code__
    for one, other in ((good, broken), (broken, good), (broken, broken)):
        verdict = verify(one, other)
        assert verdict.status == UNKNOWN, name
        assert verdict.reason


def check(verdict: Any) -> None:
    assert isinstance(verdict, Verdict)
    assert verdict.status in (EQUAL, DIFFERENT, UNKNOWN)
    assert "the walk failed" not in verdict.reason
    assert str(verdict)


@given(st.sampled_from(CODES), st.data())
def test_other_arguments(code: CodeType, data: Any) -> None:
    """Any instruction may get any argument."""
    raw = bytearray(code.co_code)
    for _ in range(data.draw(st.integers(1, 3))):
        raw[data.draw(st.integers(0, len(raw) // 2 - 1)) * 2 + 1] = data.draw(st.integers(0, 255))
    mangled = replaced(code, bytes(raw))
    check(verify(code, mangled))
    check(verify(mangled, code))
    check(verify(mangled, mangled))


@pytest.mark.skipif(sys.version_info < (3, 11), reason="has no exception table")
@given(st.data())
def test_other_exception_tables(data: Any) -> None:
    table = bytearray(MAIN.co_exceptiontable)
    for _ in range(data.draw(st.integers(1, 3))):
        table[data.draw(st.integers(0, len(table) - 1))] = data.draw(st.integers(0, 255))
    mangled = MAIN.replace(co_exceptiontable=bytes(table))
    check(verify(MAIN, mangled))
    check(verify(mangled, MAIN))


@pytest.mark.skipif(sys.version_info >= (3, 11), reason="CPython itself crashes when it reads such code objects")
@given(st.sampled_from(CODES), st.data())
def test_other_bytes(code: CodeType, data: Any) -> None:
    raw = bytearray(code.co_code)
    for _ in range(data.draw(st.integers(1, 3))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    mangled = replaced(code, bytes(raw[: data.draw(st.integers(1, len(raw) // 2)) * 2]))
    check(verify(code, mangled))
    check(verify(mangled, mangled))
