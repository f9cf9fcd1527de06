"""The package as a whole: what importing it costs, that it needs no PyTorch, and its public names."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import depyf

ROOT = Path(__file__).resolve().parent.parent

CONTRACT_NAMES = [
    "DecompilationError",
    "Decompiler",
    "Verdict",
    "debug",
    "decompile",
    "install",
    "prepare_debug",
    "uninstall",
    "verify",
    "vscode",
]


def python(code: str, *options: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run([sys.executable, *options, "-c", code], stdout=subprocess.PIPE, cwd=str(ROOT), check=True)
    return done.stdout.decode()


def processor_seconds(code: str) -> float:
    """User and system time of a fresh interpreter: what else runs on the machine does not count."""
    resource = pytest.importorskip("resource", reason="processor time of children is a Unix matter")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    python(code)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)


def test_version_is_a_release_number() -> None:
    numbers = depyf.__version__.split(".")
    assert len(numbers) >= 3 and numbers[0].isdigit() and numbers[1].isdigit()


def test_import_costs_at_most_50_ms_over_a_bare_interpreter() -> None:
    bare, with_depyf = [processor_seconds("pass")], [processor_seconds("import depyf")]
    while min(with_depyf) - min(bare) > 0.050 and len(bare) < 40:  # a busy machine needs more tries; what really costs more never passes
        bare.append(processor_seconds("pass"))
        with_depyf.append(processor_seconds("import depyf"))
    assert min(with_depyf) - min(bare) <= 0.050, f"import depyf costs {1000 * (min(with_depyf) - min(bare)):.0f} ms"


def test_import_loads_nothing_but_itself() -> None:
    loaded = json.loads(
        python("import json, sys, depyf; print(json.dumps([m for m in sys.modules if m.split('.')[0] in "
               "('torch', 'dill', 'numpy', 'depyf', 'dis', 'ast')]))")
    )
    assert [name for name in loaded if name not in ("ast", "dis")] == ["depyf"]


@pytest.mark.parametrize("name", ["decompile", "Decompiler", "verify", "Verdict", "DecompilationError"])
def test_decompiler_and_proof_work_where_torch_is_absent(name: str) -> None:
    # None in sys.modules makes every `import torch` raise, as on a machine without it
    code = f"import sys; sys.modules['torch'] = None; import depyf; print(depyf.{name}.__name__)"
    assert python(code).strip() == name


def test_a_function_is_decompiled_and_proven_where_torch_is_absent() -> None:
    code = (
        "import sys; sys.modules['torch'] = None; import depyf, textwrap\n"
        "text = depyf.decompile(textwrap.dedent, verify=True); print(text.splitlines()[0]); print(bool(text.verdict))"
    )
    assert python(code).splitlines() == ["def dedent(text):", "True"]


@pytest.mark.parametrize("name", CONTRACT_NAMES)
def test_public_names_are_listed(name: str) -> None:
    assert name in depyf.__all__
    assert name in dir(depyf)


@pytest.mark.parametrize("name", CONTRACT_NAMES)
def test_public_names_load(name: str) -> None:
    assert getattr(depyf, name).__name__ == name


def test_submodules_are_reached_from_a_plain_import() -> None:
    code = "import depyf; print(depyf.utils.decompile_ensure.__name__, depyf.decompiler.Decompiler is depyf.Decompiler)"
    assert python(code).split() == ["decompile_ensure", "True"]


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'decompyle'"):
        depyf.decompyle


def test_error_says_what_where_and_at_which_opcode() -> None:
    error = depyf.DecompilationError("jump into the middle of an instruction", "f", 12, "JUMP_FORWARD")
    assert str(error) == "jump into the middle of an instruction (in code object 'f', at offset 12, opcode JUMP_FORWARD)"
    assert (error.code_name, error.offset, error.opcode) == ("f", 12, "JUMP_FORWARD")


def test_error_takes_the_context_that_an_outer_stage_knows() -> None:
    error = depyf.DecompilationError("cannot lift", offset=4, opcode="NOP").located("g", 8, "POP_TOP")
    assert (error.code_name, error.offset, error.opcode) == ("g", 4, "NOP")
    assert str(depyf.DecompilationError("no context")) == "no context"


def test_error_survives_a_process_boundary() -> None:
    copy = pickle.loads(pickle.dumps(depyf.DecompilationError("cannot lift", "f", 2, "NOP")))
    assert str(copy) == "cannot lift (in code object 'f', at offset 2, opcode NOP)"


def test_no_module_of_the_package_is_over_500_lines() -> None:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in (ROOT / "depyf").rglob("*.py")}
    assert {str(path): length for path, length in lengths.items() if length > 500} == {}


def test_every_module_says_what_it_is_for() -> None:
    import ast

    silent = [
        str(path)
        for path in (ROOT / "depyf").rglob("*.py")
        if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert silent == []
