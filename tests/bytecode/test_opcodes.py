"""The tables of opcodes are those of the interpreter; opcodes and versions nobody knows are refused."""

from __future__ import annotations

import opcode
import sys

import pytest

from depyf.bytecode import graph_of
from depyf.bytecode.lowering import entries_of
from depyf.bytecode.opcodes import VERSIONS, caches, numbers
from depyf.errors import DecompilationError
from tests.bytecode.helpers import VERSION

# held by no code object that Python code can see
INTERNAL = {"CACHE", "INTERPRETER_EXIT", "RESERVED", "ENTER_EXECUTOR", "EXIT_INIT_CHECK", "TRACE_RECORD"}


def test_numbers_are_those_of_the_interpreter():
    real = {
        name: number
        for name, number in opcode.opmap.items()
        if number < 256 and not name.startswith("INSTRUMENTED_") and name not in INTERNAL
    }
    assert numbers(VERSION) == real


@pytest.mark.skipif(VERSION < (3, 11), reason="no inline caches before 3.11")
def test_caches_are_those_of_the_interpreter():
    real = opcode._inline_cache_entries
    if isinstance(real, (list, tuple)):
        real = {opcode.opname[number]: size for number, size in enumerate(real)}
    known = numbers(VERSION)
    assert caches(VERSION) == {name: size for name, size in real.items() if size and name in known}


@pytest.mark.parametrize("version", VERSIONS)
def test_every_opcode_of_every_version_is_lowered(version):
    table = entries_of(version)
    missing = [name for name, number in numbers(version).items() if table[number] is None]
    assert missing == ["EXTENDED_ARG"]


def test_an_unknown_version_is_refused():
    with pytest.raises(DecompilationError, match=r"CPython 2\.7 is not known"):
        graph_of(test_an_unknown_version_is_refused.__code__, (2, 7))


def test_the_running_version_is_the_default():
    code = test_the_running_version_is_the_default.__code__
    assert repr(graph_of(code).blocks) == repr(graph_of(code, sys.version_info[:2]).blocks)


@pytest.mark.skipif(VERSION < (3, 11), reason="one numbering of all slots since 3.11")
def test_slots_are_numbered_as_in_the_frame():
    from depyf.bytecode.graph import _pools

    def outer(free, other):
        def inner(argument, captured, *rest, key=1, **more):
            local = free
            cell = local

            def innermost():
                return captured, cell, more, other

            return innermost

        return inner

    code = outer(1, 2).__code__
    names = _pools(code, VERSION)["locals"]
    assert [code._varname_from_oparg(index) for index in range(len(names))] == list(names)
