"""The command `depyf`: what it takes, what it prints, what it writes, and how it fails."""

from __future__ import annotations

import ast
import importlib.util
import os
import py_compile
import subprocess
import sys
from pathlib import Path
from typing import List, Optional

import pytest

ROOT = Path(__file__).resolve().parent.parent

SAMPLE = '''\
def double(x):
    return x * 2


def positive(values):
    for value in values:
        if value > 0:
            yield value
'''


class Done:
    def __init__(self, status: int, out: str, err: str) -> None:
        self.status, self.out, self.err = status, out, err


def depyf(*arguments: str, cwd: Optional[Path] = None) -> Done:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, "-m", "depyf", *arguments], capture_output=True, cwd=str(cwd or ROOT), env=environment
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    path = tmp_path / "sample.py"
    path.write_text(SAMPLE)
    return path


def function_names(text: str) -> List[str]:
    return [node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]


def test_a_source_file_comes_back_as_a_module(sample: Path) -> None:
    done = depyf(str(sample))
    assert done.status == 0, done.err
    assert function_names(done.out) == ["double", "positive"]
    namespace: dict = {}
    exec(done.out, namespace)
    assert namespace["double"](4) == 8
    assert list(namespace["positive"]([1, -1, 2])) == [1, 2]


def test_a_compiled_file_gives_what_its_source_gives(sample: Path) -> None:
    compiled = py_compile.compile(str(sample), cfile=str(sample.with_suffix(".pyc")), doraise=True)
    assert depyf(compiled).out == depyf(str(sample)).out


def test_a_module_is_found_but_not_run(tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text("print('I ran')\n")
    done = depyf("loud", cwd=tmp_path)
    assert done.status == 0, done.err
    assert ast.dump(ast.parse(done.out)) == ast.dump(ast.parse("print('I ran')"))


def test_a_function_of_a_module(sample: Path) -> None:
    done = depyf("sample:double", cwd=sample.parent)
    assert done.status == 0, done.err
    assert done.out.split("\n")[:2] == ["def double(x):", "    return x * 2"]


def test_a_method_of_a_class() -> None:
    done = depyf("textwrap:TextWrapper.fill")
    assert done.status == 0, done.err
    assert done.out.startswith("def fill(self, text):")


def test_indentation(sample: Path) -> None:
    done = depyf("sample:double", "--indent", "2", cwd=sample.parent)
    assert "\n  return x * 2\n" in done.out


def test_verify_prints_the_verdict_and_the_text_still_parses(sample: Path) -> None:
    done = depyf("--verify", str(sample))
    assert done.status == 0, done.err
    first = done.out.splitlines()[0]
    assert first.startswith("# ") and "sample.py" in first and "EQUAL" in first
    assert function_names(done.out) == ["double", "positive"]


def test_output_to_a_file(sample: Path) -> None:
    target = sample.parent / "out" / "again.py"
    done = depyf(str(sample), "-o", str(target))
    assert (done.status, done.out) == (0, ""), done.err
    assert function_names(target.read_text()) == ["double", "positive"]
    assert [path.name for path in target.parent.iterdir()] == ["again.py"]


def test_a_folder_is_mirrored(tmp_path: Path) -> None:
    for name in ("a.py", "inner/b.py", "inner/__init__.py"):
        path = tmp_path / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(SAMPLE)
    py_compile.compile(str(tmp_path / "src" / "a.py"), cfile=str(tmp_path / "src" / "lonely.pyc"), doraise=True)
    done = depyf("--verify", "-o", str(tmp_path / "out"), str(tmp_path / "src"))
    assert done.status == 0, done.err
    written = sorted(path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.py"))
    assert written == ["a.py", "inner/__init__.py", "inner/b.py", "lonely.py"]
    assert len([line for line in done.out.splitlines() if "EQUAL" in line]) == 4
    assert "4 of 4 done" in done.err


def test_one_failure_does_not_stop_the_others(sample: Path) -> None:
    (sample.parent / "broken.py").write_text("def f(:\n")
    done = depyf("no_such_module_at_all", str(sample), str(sample.parent / "broken.py"))
    assert done.status == 1
    assert function_names(done.out) == ["double", "positive"]
    assert "no module, file or folder is called 'no_such_module_at_all'" in done.err
    assert "does not compile on this Python" in done.err
    assert "1 of 3 done, 2 failed" in done.err


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("missing.py", "no such file"),
        ("textwrap:no_such_thing", "'textwrap' has no attribute 'no_such_thing'"),
        ("textwrap:", "names no object after the colon"),
        ("what is this", "no file, folder, module or module:object"),
        ("sys", "holds no bytecode"),
        ("builtins:len", "cannot decompile"),
        ("empty", "holds no .py or .pyc file"),
        ("damaged.pyc", "damaged"),
        ("foreign.pyc", "run depyf with the Python that wrote it"),
        ("notes.txt", "neither a .py nor a .pyc"),
    ],
)
def test_errors_are_for_people(tmp_path: Path, target: str, message: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.txt").write_text("hello")
    (tmp_path / "damaged.pyc").write_bytes(importlib.util.MAGIC_NUMBER + b"\0" * 12 + b"\xe3\x01")
    (tmp_path / "foreign.pyc").write_bytes(b"\x03\xf3\r\n" + b"\0" * 40)
    done = depyf(target, cwd=tmp_path)
    assert (done.status, done.out) == (1, "")
    assert message in done.err
    assert "Traceback" not in done.err


def test_its_own_source_is_never_overwritten(sample: Path) -> None:
    done = depyf(str(sample), "-o", str(sample.parent))
    assert done.status == 1
    assert "would overwrite its own source" in done.err
    assert sample.read_text() == SAMPLE


def test_no_progress_bar_where_stderr_is_no_terminal(sample: Path) -> None:
    done = depyf(str(sample), str(sample))
    assert (done.status, done.err) == (0, "")


@pytest.mark.skipif(os.name == "nt", reason="pseudo-terminals are a Unix matter")
def test_a_progress_bar_where_stderr_is_a_terminal(sample: Path) -> None:
    import pty

    master, slave = pty.openpty()
    out = sample.parent / "out"
    command = [sys.executable, "-m", "depyf", str(sample), "textwrap", "-o", str(out)]
    status = subprocess.call(command, stderr=slave, cwd=str(ROOT), env={**os.environ, "PYTHONPATH": str(ROOT)})
    os.close(slave)
    shown = os.read(master, 65536).decode()
    os.close(master)
    assert status == 0
    assert "1/2" in shown and "2 of 2 done" in shown


def test_usage() -> None:
    helped = depyf("--help")
    assert helped.status == 0 and "package.module:function" in helped.out
    assert depyf().status == 2
    assert depyf("--indent", "0", "textwrap").status == 2
    import depyf as package

    assert depyf("--version").out.strip() == f"depyf {package.__version__}"


def test_python_coverage_names_every_opcode_and_all_are_supported() -> None:
    import dis

    done = subprocess.run(
        [sys.executable, "python_coverage.py"], capture_output=True, cwd=str(ROOT), env={**os.environ, "PYTHONPATH": ""}
    )
    out = done.stdout.decode()
    assert done.returncode == 0, out + done.stderr.decode()
    listed = {line.split()[0] for line in out.splitlines() if line.endswith(" supported")}
    assert {"RETURN_VALUE", "LOAD_FAST", "EXTENDED_ARG"} <= listed <= set(dis.opmap)
    assert "NOT SUPPORTED" not in out and "(100.0 %)" in out
