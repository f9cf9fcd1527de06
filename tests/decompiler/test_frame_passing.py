"""What PyTorch does on the stack to pass a frame to its resume functions, in the shapes that only some CPythons have."""

from __future__ import annotations

import sys
import textwrap
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


def test_functions_that_are_made_with_one_tuple_of_cells() -> None:
    """PyTorch 2.11 makes the function for a comprehension and the resume function behind it so."""

    namespace: dict = {}
    source = """
        def outer(x):
            def inner():
                def first():
                    return x
                def second():
                    return [x]
                return first, second
            return inner
    """
    exec(textwrap.dedent(source), namespace)
    inner = namespace["outer"](1)
    code = inner.__code__
    assembly = disassemble(code)
    tuples = [i for i, known in enumerate(assembly.instructions) if known.op == "BUILD_TUPLE"]
    assert len(tuples) >= 2
    del assembly.instructions[tuples[1] - 1 : tuples[1] + 1]
    assembly.insert(tuples[0] + 1, [Instruction("COPY", 1) if sys.version_info >= (3, 11) else Instruction("DUP_TOP", 0)])
    shared = assembly.assemble().replace(co_stacksize=10)
    functions = types.FunctionType(shared, {}, closure=inner.__closure__)()
    assert [f() for f in functions] == [1, [1]] and functions[0].__closure__ is functions[1].__closure__
    text = depyf.decompile(shared, verify=True)
    assert text.verdict and "__temp" not in text, text
    assert depyf.verify(code, shared) and depyf.verify(shared, code)


def _unbound(code: types.CodeType) -> types.CodeType:
    """With NULL stored where a local was deleted."""
    assembly = disassemble(code)
    where = next(i for i, known in enumerate(assembly.instructions) if known.op == "DELETE_FAST")
    assembly.instructions[where].op = "STORE_FAST"
    assembly.insert(where, [Instruction("PUSH_NULL", 0)])
    return assembly.assemble().replace(co_stacksize=10)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="nothing stores NULL before comprehensions are inlined")
def test_null_in_a_local_unbinds_it() -> None:
    def gone(x: int) -> object:
        y = x
        del y
        try:
            return y  # noqa: F821
        except UnboundLocalError:
            return "gone"

    code = _unbound(gone.__code__)
    assert types.FunctionType(code, {"UnboundLocalError": UnboundLocalError})(1) == "gone"
    text = depyf.decompile(code, verify=True)
    assert text.verdict and "del y" in text, text


@pytest.mark.skipif(sys.version_info < (3, 12), reason="nothing stores NULL before comprehensions are inlined")
def test_null_in_a_local_that_nobody_reads_again_is_nothing() -> None:
    def gone(x: int) -> int:
        y = x
        y += 1
        x = y
        del y
        return x

    code = _unbound(gone.__code__)
    assert types.FunctionType(code, {})(1) == 2
    text = depyf.decompile(code, verify=True)
    assert text.verdict and "None" not in text and "del" not in text, text


def test_locals_of_one_name() -> None:
    """PyTorch 2.11 keeps a variable of the original function beside one of its own with that name."""

    def named(x: int) -> tuple:
        one = x + 1
        other = x + 2
        return one, other, one

    names = tuple("other" if name == "one" else name for name in named.__code__.co_varnames)
    code = named.__code__.replace(co_varnames=names)
    assert types.FunctionType(code, {})(1) == (2, 3, 2)
    text = depyf.decompile(code, verify=True)
    assert text.verdict and "other = x + 2" in text, text
    assembly = disassemble(code)
    stores = [known for known in assembly.instructions if known.op == "STORE_FAST"]
    stores[0].arg, stores[1].arg = stores[1].arg, stores[0].arg
    assert depyf.verify(code, assembly.assemble()).status == "DIFFERENT"
