"""Whatever is done to a code object, decoding gives a graph that keeps the laws, or DecompilationError; nothing else.

The damaged code objects are stand-ins with the same attributes: making real ones of damaged code may crash the
interpreter itself. They are decoded as every version, so each version's error paths are tried on each interpreter.
"""

from __future__ import annotations

import sys
import textwrap
import warnings
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from depyf.bytecode import graph_of
from depyf.bytecode.dominators import dominators
from depyf.bytecode.laws import check
from depyf.bytecode.opcodes import VERSIONS, numbers
from depyf.errors import DecompilationError
from tests.bytecode.helpers import VERSION, codes
from tests.bytecode.samples import EVERY_VERSION
from tests.bytecode.samples_newer import COROUTINES, GENERATORS, NEWER

ATTRIBUTES = "co_name co_code co_consts co_names co_varnames co_cellvars co_freevars co_firstlineno co_stacksize co_flags".split()


def stand_in(code, **changes):
    values = {name: getattr(code, name) for name in ATTRIBUTES}
    values["co_exceptiontable"] = getattr(code, "co_exceptiontable", b"")
    values["co_lnotab"] = code.co_lnotab if sys.version_info < (3, 12) else b""
    values["co_lines"] = getattr(code, "co_lines", lambda: iter(()))
    values.update(changes)
    return SimpleNamespace(**values)


def _pool():
    sources = [*EVERY_VERSION.values(), *GENERATORS.values(), *COROUTINES.values()]
    sources += [source for version, source in NEWER.values() if VERSION >= version]
    pool = []
    for source in sources:
        module = compile(textwrap.dedent(source), "<sample>", "exec", dont_inherit=True)
        pool += [code for code in codes(module) if code.co_name != "<module>"]
    return sorted(pool, key=lambda code: len(code.co_code))


with warnings.catch_warnings():
    warnings.simplefilter("ignore", SyntaxWarning)
    POOL = _pool()


def outcome(code, version=VERSION):
    """The graph, checked, or None if the code is refused; any other exception is the test's failure."""
    try:
        graph = graph_of(code, version)
    except DecompilationError as error:
        assert error.code_name == code.co_name or "version" in str(error)
        return None
    check(graph, version)
    dominators(graph)
    return graph


def test_stand_ins_are_as_good_as_code_objects():
    for code in POOL:
        assert repr(outcome(stand_in(code)).blocks) == repr(graph_of(code).blocks)


any_code = st.sampled_from(POOL)
edits = st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), min_size=1, max_size=4)
opcodes = st.sampled_from(sorted(numbers(VERSION).values()))


def patched(data, changes):
    data = bytearray(data)
    for position, value in changes:
        if data:
            data[position % len(data)] = value
    return bytes(data)


@given(any_code, edits)
def test_bytes_changed(code, changes):
    outcome(stand_in(code, co_code=patched(code.co_code, changes)))


@given(any_code, st.lists(st.tuples(st.integers(0, 10**6), opcodes, st.integers(0, 12)), min_size=1, max_size=5))
def test_instructions_changed(code, changes):
    """Known opcodes with small arguments get further than random bytes."""
    data = bytearray(code.co_code)
    for position, opcode, argument in changes:
        unit = position % (len(data) // 2)
        data[2 * unit : 2 * unit + 2] = bytes([opcode, argument])
    outcome(stand_in(code, co_code=bytes(data)))


@given(any_code, st.integers(0, 10**6), st.integers(0, 8), st.lists(st.tuples(opcodes, st.integers(0, 12)), max_size=4))
def test_instructions_removed_and_inserted(code, position, removed, inserted):
    start = position % (len(code.co_code) // 2) * 2
    new = b"".join(bytes(pair) for pair in inserted)
    outcome(stand_in(code, co_code=code.co_code[:start] + new + code.co_code[start + 2 * removed :]))


@given(any_code, st.integers(0, 10**6))
def test_truncated(code, length):
    outcome(stand_in(code, co_code=code.co_code[: length % (len(code.co_code) + 1)]))


@pytest.mark.skipif(VERSION < (3, 11), reason="exception tables since 3.11")
@given(
    st.sampled_from([code for code in POOL if getattr(code, "co_exceptiontable", b"")] or POOL),
    edits,
    st.integers(0, 40),
)
def test_exception_table_changed(code, changes, length):
    table = code.co_exceptiontable
    outcome(stand_in(code, co_exceptiontable=patched(table, changes)))
    outcome(stand_in(code, co_exceptiontable=table[: length % (len(table) + 1)]))


@given(st.binary(max_size=60), st.binary(max_size=30), st.sampled_from(VERSIONS))
def test_random_bytes(data, table, version):
    outcome(stand_in(POOL[0], co_code=data, co_exceptiontable=table), version)


@settings(max_examples=300)
@given(
    any_code,
    st.sampled_from(VERSIONS),
    st.lists(st.tuples(st.integers(0, 300), st.integers(0, 8)), min_size=1, max_size=40),
)
def test_random_instructions_of_every_version(code, version, choices):
    """Arguments are small, so that jumps and names often hit."""
    known = sorted(numbers(version).values())
    data = b"".join(bytes([known[which % len(known)], argument]) for which, argument in choices)
    outcome(stand_in(code, co_code=data, co_exceptiontable=b""), version)


STACK_OPCODES = (
    "SETUP_FINALLY SETUP_WITH POP_BLOCK POP_EXCEPT BEGIN_FINALLY CALL_FINALLY END_FINALLY POP_FINALLY WITH_CLEANUP_START "
    "WITH_CLEANUP_FINISH JUMP_FORWARD POP_JUMP_IF_TRUE LOAD_FAST POP_TOP RERAISE END_ASYNC_FOR RETURN_VALUE JUMP_ABSOLUTE"
).split()


@settings(max_examples=300)
@given(
    any_code,
    st.sampled_from([(3, 8), (3, 9), (3, 10)]),
    st.lists(st.tuples(st.integers(0, 99), st.integers(0, 10)), max_size=60),
)
def test_block_stacks(code, version, choices):
    """The walks of the block stack end, and refuse what no compiler makes."""
    known = [number for name, number in numbers(version).items() if name in STACK_OPCODES]
    data = b"".join(bytes([known[which % len(known)], argument]) for which, argument in choices)
    outcome(stand_in(code, co_code=data + bytes([numbers(version)["RETURN_VALUE"], 0])), version)


@given(
    any_code, st.sampled_from(["co_consts", "co_names", "co_varnames", "co_cellvars", "co_freevars"]), st.integers(0, 5)
)
def test_names_and_constants_missing(code, attribute, kept):
    outcome(stand_in(code, **{attribute: getattr(code, attribute)[:kept]}))


@given(any_code, st.integers(-1, 8))
def test_stack_size_changed(code, size):
    outcome(stand_in(code, co_stacksize=size))


def test_a_finally_that_calls_itself_is_refused():
    known = numbers((3, 8))
    data = [("SETUP_FINALLY", 2), ("POP_BLOCK", 0), ("CALL_FINALLY", 0), ("CALL_FINALLY", 0), ("END_FINALLY", 0)]
    code = stand_in(POOL[0], co_code=b"".join(bytes([known[name], argument]) for name, argument in data))
    assert outcome(code, (3, 8)) is None


def test_a_giant_argument_costs_nothing():
    known = numbers(VERSION)
    for name in ("UNPACK_SEQUENCE", "UNPACK_EX", "BUILD_LIST", "BUILD_TUPLE", "LIST_APPEND"):
        prefix = [known["EXTENDED_ARG"], 255] * 3
        data = bytes([known["LOAD_FAST"], 0, *prefix, known[name], 255])
        padding = bytes(2 * {"UNPACK_SEQUENCE": VERSION >= (3, 11)}.get(name, 0))
        code = stand_in(POOL[0], co_code=data + padding + bytes([known["RETURN_VALUE"], 0]), co_exceptiontable=b"")
        assert outcome(code) is None


@pytest.mark.skipif(VERSION != (3, 8), reason="bytecode of 3.8")
@pytest.mark.parametrize("name", ["POP_TOP", "BEGIN_FINALLY", "END_FINALLY", "POP_BLOCK", "POP_EXCEPT"])
@pytest.mark.parametrize("removed", [1, 4])
def test_copies_of_3_8_in_damaged_code(name, removed):
    """Found by a longer search: control that falls into a handler's copy, and copies without any handler."""
    for code in POOL[::3]:
        for start in range(0, len(code.co_code), 2):
            data = code.co_code[:start] + bytes([numbers(VERSION)[name], 0]) + code.co_code[start + 2 * removed :]
            outcome(stand_in(code, co_code=data))
