"""The dump directory: names, whole files, who writes where, and what happens when it cannot be written."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import Any

import pytest
import torch

import depyf
from depyf.inspector.directory import DumpDirectory
from depyf.inspector.naming import Names, plain_graph_name, safe
from tests.torch.inspector import support


@pytest.mark.parametrize("name", ["<lambda>", "größe", "数量", "a" * 300, "x/y\\z", "con", "", "a\x00b", "é"])
def test_safe_names(name: str) -> None:
    made = safe(name)
    assert made and len(made) <= 100 and made.isascii()
    assert all(c.isalnum() or c == "_" for c in made)


def test_names_are_told_apart_where_case_is_ignored() -> None:
    names = Names()
    assert names.number("f_{}.py") == 0
    assert names.number("F_{}.py") == 1
    names.take("g_0.py")
    assert names.number("G_{}.py") == 1


def test_plain_graph_name() -> None:
    assert plain_graph_name("__compiled_fn_12_389024a1_6aa5_43ae_8901_78c7a15e8dea") == "__compiled_fn_12"
    assert plain_graph_name("__compiled_fn_3") == "__compiled_fn_3"


def test_functions_equal_but_for_case(tmp_path: Any) -> None:
    namespace: dict = {}  # type: ignore[type-arg]
    long = "f" + "o" * 250
    names = ("Name", "name", "größe", long)
    path = tmp_path / "functions.py"  # what has no file, PyTorch 2.2 compiles as a function of its own
    path.write_text("".join(f"def {name}(x): return x + {number}\n" for number, name in enumerate(names)), encoding="utf-8")
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), namespace)
    functions = [namespace[name] for name in names]

    def run() -> None:
        for function in functions:
            torch.compile(function, backend="eager")(torch.ones(2))

    support.dumped(tmp_path / "dump", run)
    files = support.names(tmp_path / "dump")
    assert len({name.casefold() for name in files}) == len(files)
    assert sum(name.startswith("full_code_for_") for name in files) == 4
    assert max(len(name) for name in files) < 200


def test_not_writable_is_an_error_on_entering(tmp_path: Any) -> None:
    blocking = tmp_path / "file"
    blocking.write_text("in the way")
    ran = False
    with pytest.raises(OSError, match="cannot write to the directory"):
        with depyf.prepare_debug(blocking / "below"):
            ran = True
    assert not ran
    assert not torch._dynamo.convert_frame._bytecode_hooks


def test_directory_removed_while_compiling(tmp_path: Any) -> None:
    target = tmp_path / "dump"
    with depyf.prepare_debug(target):
        torch.compile(lambda x: x + 1, backend="eager")(torch.ones(2))
        shutil.rmtree(target)
        result = torch.compile(lambda x: x + 2, backend="eager")(torch.ones(2))
    assert support.same(result, torch.full((2,), 3.0))
    assert support.session(target)["finished"]
    assert support.sources(target)


def test_disk_that_fills_up_is_one_warning(tmp_path: Any, monkeypatch: Any) -> None:
    from depyf.inspector import directory

    def full(path: str, data: bytes, folder: str) -> None:
        raise OSError(28, "No space left on device")

    with pytest.warns(RuntimeWarning, match="No space left on device") as caught:
        with depyf.prepare_debug(tmp_path):
            first = torch.compile(lambda x: x + 1, backend="eager")(torch.ones(2))
            monkeypatch.setattr(directory, "_write_whole", full)
            second = torch.compile(lambda x: x + 2, backend="eager")(torch.ones(2))
    assert len([w for w in caught.list if "depyf" in str(w.message)]) == 1
    assert support.same([first, second], [torch.full((2,), 2.0), torch.full((2,), 3.0)])


def test_warnings_as_errors_do_not_end_the_program(tmp_path: Any, monkeypatch: Any, capsys: Any) -> None:
    import warnings

    from depyf.inspector.recorder import Recorder

    def broken(self: Any, *args: Any) -> None:
        raise RuntimeError("injected")

    monkeypatch.setattr(Recorder, "bytecode", broken)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with depyf.prepare_debug(tmp_path):
            torch.compile(lambda x: x + 1, backend="eager")(torch.ones(2))
    assert "injected" in capsys.readouterr().err


def test_run_of_an_ended_process_is_kept_aside(tmp_path: Any) -> None:
    dead = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    first = DumpDirectory(str(tmp_path))
    first.claim()
    first.write("full_code_for_f_0.py", "# depyf: old\n")
    owner = tmp_path / ".depyf" / "owner.json"
    data = json.loads(owner.read_text())
    data["process"].update(pid=int(dead.stdout), started="1")
    owner.write_text(json.dumps(data))
    second = DumpDirectory(str(tmp_path))
    second.claim()
    assert second.folder == str(tmp_path)
    assert support.read(tmp_path, "earlier_runs/1/full_code_for_f_0.py") == "# depyf: old\n"
    assert not os.path.exists(tmp_path / "full_code_for_f_0.py")


def test_running_process_keeps_its_folder(tmp_path: Any) -> None:
    first = DumpDirectory(str(tmp_path))
    first.claim()
    owner = tmp_path / ".depyf" / "owner.json"
    data = json.loads(owner.read_text())
    data["process"].update(pid=os.getppid(), started=None)
    owner.write_text(json.dumps(data))
    second = DumpDirectory(str(tmp_path))
    second.claim()
    assert os.path.basename(second.folder) == f"process_{os.getpid()}"
    assert second.sessions() == [f"process_{os.getpid()}"]


def test_ranks_get_folders_of_their_own(tmp_path: Any, monkeypatch: Any) -> None:
    for rank in (0, 1):
        support.fresh()
        monkeypatch.setenv("RANK", str(rank))
        monkeypatch.setenv("WORLD_SIZE", "2")
        support.dumped(tmp_path, lambda: torch.compile(lambda x: x + 1, backend="eager")(torch.ones(2)))
    assert support.sources(tmp_path / "rank_0") and support.sources(tmp_path / "rank_1")
    index = support.read(tmp_path, "index.md")
    assert "[rank_0](rank_0/index.md)" in index and "[rank_1](rank_1/index.md)" in index
    assert support.session(tmp_path)["processes"] == ["rank_0/session.json", "rank_1/session.json"]
