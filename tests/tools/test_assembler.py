"""The raw assembler: what it takes apart comes back the same, and edited code runs."""

from __future__ import annotations

import types
from typing import Any, List

import pytest

from tools.assembler import VERSION, AssemblyError, Instruction, disassemble, same
from tools.sources import choose, compile_source, compile_text, nested, stdlib_files


def codes_of(sample: int) -> List[types.CodeType]:
    found = []
    for source in choose(stdlib_files("all"), sample, seed=3):
        module = compile_source(source)
        if module is not None:
            found += [module] + [item.code for item in nested(module)]
    return found


def function(text: str) -> Any:
    namespace: Any = {}
    exec(compile_text(text, "<test>"), namespace)
    return namespace["f"]


def test_round_trip_over_a_sample_of_the_standard_library() -> None:
    codes = codes_of(25)
    assert len(codes) > 100
    for code in codes:
        assert same(code, disassemble(code).assemble()), code


def test_code_that_needs_extended_arguments_runs_as_before() -> None:
    lines = "".join(f"    total += {number}.5 if flag else -{number}.25\n" for number in range(700))
    before = function(f"def f(flag):\n    total = 0\n{lines}    return total\n")
    code = disassemble(before.__code__).assemble()
    assert len(code.co_code) > 1 << 10
    after = types.FunctionType(code, {})
    assert [after(True), after(False)] == [before(True), before(False)]


TEXT = """
def f(items):
    seen = []
    for item in items:
        try:
            if item == 3:
                continue
            seen.append(10 // item)
        except ZeroDivisionError as error:
            seen.append(type(error).__name__)
        finally:
            seen.append("done")
    else:
        seen.append("else")
    return seen
"""


@pytest.mark.parametrize("padding", (1, 300))
def test_inserted_instructions_move_jumps_and_handlers_along(padding: int) -> None:
    before = function(TEXT)
    assembly = disassemble(before.__code__)
    start = 1 if VERSION >= (3, 11) else 0
    for index in range(len(assembly.instructions) - 1, start, -1):
        if assembly.instructions[index].op in ("LOAD_FAST", "LOAD_CONST", "LOAD_GLOBAL"):
            assembly.insert(index, [Instruction("NOP") for _ in range(padding)], take_labels=True)
    after = types.FunctionType(assembly.assemble(), before.__globals__)
    assert after([1, 0, 3, 5]) == before([1, 0, 3, 5]) == [10, "done", "ZeroDivisionError", "done", "done", 2, "done", "else"]


def test_new_locals_do_not_disturb_cells() -> None:
    before = function("def f(x):\n    y = x + 1\n    def g():\n        return x, y\n    return g\n")
    assembly = disassemble(before.__code__)
    assembly.varnames += [f"new_{number}" for number in range(20)]
    after = types.FunctionType(assembly.assemble(), {})
    assert after(1)() == before(1)() == (1, 2)


def test_a_jump_to_an_instruction_that_is_gone_is_refused() -> None:
    assembly = disassemble(function("def f(x):\n    while x:\n        x = x.next\n    return x\n").__code__)
    jump = next(instruction for instruction in assembly.instructions if instruction.target is not None)
    assembly.instructions.remove(jump.target)  # type: ignore[arg-type]
    with pytest.raises(AssemblyError):
        assembly.assemble()
