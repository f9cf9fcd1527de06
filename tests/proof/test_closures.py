"""The tuple of cells that a function is made with: its cells count, which tuple it is does not."""

from __future__ import annotations

import sys
import textwrap
from types import CodeType
from typing import List

import pytest

import depyf
from tools.assembler import Instruction, disassemble

pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="COPY is an instruction since CPython 3.11")

SOURCE = """
    def outer(x, y):
        def inner(p):
            def first():
                return x
            def second():
                return y
            return first, second
        return inner
"""


def inner_code(source: str) -> CodeType:
    module = compile(textwrap.dedent(source), "<test>", "exec", dont_inherit=True)
    outer = next(c for c in module.co_consts if isinstance(c, CodeType))
    return next(c for c in outer.co_consts if isinstance(c, CodeType))


def with_one_tuple(code: CodeType, between: List[Instruction]) -> CodeType:
    """Both functions made with the first one's tuple; `between` comes before it is used."""
    assembly = disassemble(code)
    first, second = [i for i, known in enumerate(assembly.instructions) if known.op == "BUILD_TUPLE"][:2]
    del assembly.instructions[second - 1 : second + 1]
    assembly.insert(first + 1, [*between, Instruction("COPY", 1)])
    return assembly.assemble().replace(co_stacksize=10)


def test_one_tuple_for_two_functions_is_as_good_as_two() -> None:
    code = inner_code(SOURCE.replace("return y", "return [x]").replace("x, y", "x"))
    assert depyf.verify(code, with_one_tuple(code, []))


def test_other_cells_are_noticed() -> None:
    code = inner_code(SOURCE)
    assert depyf.verify(code, with_one_tuple(code, [])).status == "DIFFERENT"


def test_its_identity_is_not_known() -> None:
    """It might be that of a function which was made with it."""
    code = inner_code(SOURCE)
    compared = [Instruction("COPY", 1), Instruction("LOAD_FAST", 0, ("p",)), Instruction("IS_OP", 0), Instruction("POP_TOP", 0)]
    one = with_one_tuple(code, compared)
    other = with_one_tuple(code, [Instruction("PUSH_NULL", 0), Instruction("POP_TOP", 0), *compared])
    assert depyf.verify(one, other).status == "UNKNOWN"
