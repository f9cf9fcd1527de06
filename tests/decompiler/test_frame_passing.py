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
