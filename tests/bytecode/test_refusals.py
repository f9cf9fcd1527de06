"""Code that could not run as it says: refused with the place where it goes wrong, instead of a graph that lies."""

from __future__ import annotations

import dis

import pytest

from depyf.bytecode import graph_of
from depyf.bytecode.raw import decode
from depyf.errors import DecompilationError
from tests.bytecode.helpers import VERSION, compiled, since
from tests.bytecode.test_mangled import stand_in


def edited(code, name, new_name=None, argument=None, which=0, **changes):
    """The code with one instruction changed: the `which`-th of that name."""
    raw = decode(code, VERSION)
    index = [position for position in range(len(raw.ops)) if raw.name(position) == name][which]
    data = bytearray(code.co_code)
    if new_name is not None:
        data[raw.offsets[index]] = dis.opmap[new_name]
    if argument is not None:
        data[raw.offsets[index] + 1] = argument
    return stand_in(code, co_code=bytes(data), **changes), raw.offsets[index]


def refused(code, message, offset=None):
    with pytest.raises(DecompilationError, match=message) as caught:
        graph_of(code)
    assert caught.value.code_name == "f"
    if offset is not None:
        assert caught.value.offset == offset
        assert caught.value.opcode is not None and f"at offset {offset}" in str(caught.value)


def test_stack_underflow():
    code, offset = edited(
        compiled("def f(a):\n    return a\n"), "LOAD_FAST_BORROW" if VERSION >= (3, 14) else "LOAD_FAST", "NOP"
    )
    refused(code, "stack underflow")


def test_depths_that_disagree():
    source = "def f(a, b):\n    if a:\n        b\n    return g(b)\n"
    code, _ = edited(compiled(source), "POP_TOP", "NOP", 0)
    refused(code, "meet")


def test_constants_and_names_that_do_not_exist():
    code = compiled("def f(a):\n    return g('constant').attribute\n")
    refused(stand_in(code, co_consts=()), "past the end of the consts")
    refused(stand_in(code, co_names=()), "past the end of the names")
    code = compiled("def f(a):\n    return a\n")
    refused(stand_in(code, co_varnames=()), "past the end of the locals")


def test_running_off_the_end():
    code = compiled("def f(a):\n    return a\n")
    refused(stand_in(code, co_code=code.co_code[:-2]), "runs off the end")


def test_more_stack_than_allowed():
    code = compiled("def f(a):\n    return [" + "a, " * 30 + "]\n")
    refused(stand_in(code, co_stacksize=2), "co_stacksize")


def test_unknown_operators_and_conversions():
    if VERSION >= (3, 11):
        code, offset = edited(compiled("def f(a):\n    return a + a\n"), "BINARY_OP", argument=200)
        refused(code, "unknown operator", offset)
    code, offset = edited(compiled("def f(a):\n    return a < a\n"), "COMPARE_OP", argument=239)
    refused(code, "unknown comparison|past the end", offset)
    code, offset = edited(compiled("def f(a):\n    raise a\n"), "RAISE_VARARGS", argument=7)
    refused(code, "raise of 7 values", offset)
    code, offset = (
        edited(compiled("def f(a):\n    return a[::1]\n"), "BUILD_SLICE", argument=5)
        if VERSION < (3, 14)
        else (None, 0)
    )
    if code is not None:
        refused(code, "slice of 5 parts", offset)


def test_keyword_names_that_do_not_fit():
    name = "CALL_FUNCTION_KW" if VERSION < (3, 11) else "CALL" if VERSION < (3, 13) else "CALL_KW"
    code, offset = edited(compiled("def f(a):\n    return a(1, k=2, l=3)\n"), name, argument=1)
    refused(code, "keyword names", offset)


@since(3, 11)
def test_free_variables_must_be_copied():
    source = "def outer(x, y):\n    def f():\n        return x, y\n    return f\n"
    code, offset = edited(compiled(source), "COPY_FREE_VARS", "NOP")
    refused(code, "free variables are not copied")
    code, offset = edited(compiled(source), "COPY_FREE_VARS", argument=1)
    refused(code, "1 of 2 free variables", offset)


@since(3, 11)
def test_asynchronous_generators_must_wrap_what_they_yield():
    name = "ASYNC_GEN_WRAP" if VERSION < (3, 12) else "CALL_INTRINSIC_1"
    code, _ = edited(compiled("async def f(a):\n    yield a\n"), name, "NOP")
    refused(code, "wrapped")
    plain = compiled("def f(a):\n    yield a\n")
    refused(stand_in(plain, co_flags=plain.co_flags ^ 0x20 | 0x200), "wrapped")


@since(3, 11)
@pytest.mark.parametrize(
    "table, message",
    [
        (b"\x00", "should not start|should start"),
        (b"\x80\x01", "middle of an entry"),
        (b"\x80\x01\x7f", "middle of an entry"),
        (b"\x80\x01\x00\x3e\x80\x01\x00\x00", "overlaps"),
        (b"\x80\x00\x00\x00", "empty"),
        (b"\x80\x3f\x00\x00", "leaves the code"),
        (b"\x80\x01\x3f\x00", "no instruction starts"),
    ],
)
def test_broken_exception_tables(table, message):
    code = compiled("def f(a):\n    return a.b\n")
    refused(stand_in(code, co_exceptiontable=table), f"broken exception table.*({message})")


@since(3, 11)
def test_handler_deeper_than_its_range():
    code = compiled("def f(a):\n    try:\n        a()\n    except E:\n        pass\n")
    table = bytearray(code.co_exceptiontable)
    table[3] |= 0x3E
    refused(stand_in(code, co_exceptiontable=bytes(table)), "cuts the stack")


@since(3, 12)
def test_send_loops_must_be_whole():
    code = compiled("def f(a):\n    yield from a\n")
    refused(stand_in(code, co_exceptiontable=b""), "SEND without")


@pytest.mark.skipif(VERSION > (3, 10), reason="block stacks up to 3.10")
def test_block_stacks_must_agree():
    code, offset = edited(
        compiled("def f(a):\n    try:\n        a()\n    except E:\n        pass\n"), "SETUP_FINALLY", "NOP"
    )
    refused(code, "block stack")
