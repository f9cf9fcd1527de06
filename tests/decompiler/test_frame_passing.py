"""What PyTorch does on the stack to pass a frame to its resume functions, in the shapes that only some CPythons have."""

from __future__ import annotations

import sys
import types

import pytest

import depyf
from tools.assembler import Instruction, disassemble


@pytest.mark.skipif(sys.version_info < (3, 14), reason="slices are constants since CPython 3.14")
@pytest.mark.parametrize("bounds", ["1:", ":2", ":", "1:3:2"])
def test_slices_that_are_constants(bounds: str) -> None:
    namespace: dict = {}
    exec(f"def f(a, b, c): return [a, b, c][{bounds}]", namespace)
    assembly = disassemble(namespace["f"].__code__)
    where = next(i for i, known in enumerate(assembly.instructions) if known.op == "BINARY_OP")
    assembly.insert(where - 1, [Instruction("COPY", 1)])
    where = next(i for i, known in enumerate(assembly.instructions) if known.op == "RETURN_VALUE")
    assembly.insert(where, [Instruction("BUILD_TUPLE", 2)])
    code = assembly.assemble().replace(co_stacksize=10)
    items = ["a", "b", "c"]
    assert types.FunctionType(code, {})(*items) == (items, eval(f"items[{bounds}]"))
    text = depyf.decompile(code, verify=True)
    assert text.verdict, text


@pytest.mark.skipif(sys.version_info < (3, 9), reason="lists are extended on the stack since CPython 3.9")
def test_lists_for_the_values_of_frames_where_there_are_none() -> None:
    """PyTorch 2.9 makes them under the result, and leaves them there."""
    swap = Instruction("SWAP", 2) if sys.version_info >= (3, 11) else Instruction("ROT_TWO", 0)

    def first(values: list) -> object:
        return values[0]

    assembly = disassemble(first.__code__)
    where = next(i for i, known in enumerate(assembly.instructions) if known.op == "RETURN_VALUE")
    empty = [Instruction("BUILD_LIST", 0), Instruction("BUILD_LIST", 0), swap, Instruction("BUILD_LIST", 0)]
    held = [Instruction("LIST_EXTEND", 2), Instruction("POP_TOP", 0), Instruction("BUILD_LIST", 1), swap]
    assembly.insert(where, [*empty, *held])
    code = assembly.assemble().replace(co_stacksize=10)
    assert types.FunctionType(code, {})("ab") == "a"
    text = depyf.decompile(code, verify=True)
    assert text.verdict and "return values[0]" in text and "[]" not in text, text


@pytest.mark.skipif(sys.version_info >= (3, 15), reason="an iterator takes two places on the stack since CPython 3.15")
def test_iterators_that_are_handed_on_beside_lists() -> None:
    """PyTorch makes the iterator of a comprehension, then the lists for the values of frames, and calls a function with both."""

    def handed_on(values: list) -> object:
        return values

    assembly = disassemble(handed_on.__code__)
    where = next(i for i, known in enumerate(assembly.instructions) if known.op == "RETURN_VALUE")
    assembly.insert(where, [Instruction("GET_ITER", 0), Instruction("BUILD_LIST", 0), Instruction("BUILD_TUPLE", 2)])
    code = assembly.assemble().replace(co_stacksize=10)
    iterator, empty = types.FunctionType(code, {})("ab")
    assert list(iterator) == ["a", "b"] and empty == []
    text = depyf.decompile(code, verify=True)
    assert text.verdict and "return iter(values), []" in text, text


def test_comprehensions_without_variables_of_their_own_iterate() -> None:
    def marked(owner: object, values: list) -> list:
        return [0 for owner.last in values]  # type: ignore[attr-defined]

    text = depyf.decompile(marked, verify=True)
    assert text.verdict and "[0 for owner.last in values]" in text, text
