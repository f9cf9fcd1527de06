"""Several processes and threads in one directory, forks, and processes that are killed."""

from __future__ import annotations

import contextlib
import glob
import os
import sys
from typing import Any

import pytest
import torch

import depyf
from tests.torch.inspector import support, workers


@support.requires("compiling_in_threads")
def test_processes_and_threads_in_one_directory(tmp_path: Any) -> None:
    running = workers.start(str(tmp_path), processes=3, threads=3, functions=5)
    assert [process.wait(timeout=300) for process in running] == [0, 0, 0]
    assert workers.functions_there(str(tmp_path)) == 45
    assert workers.broken_files(str(tmp_path)) == []
    folders = glob.glob(str(tmp_path / "process_*"))
    index = support.read(tmp_path, "index.md")
    for folder in folders:
        assert f"[{os.path.basename(folder)}]" in index


@pytest.mark.slow
def test_killed_processes_leave_whole_files(tmp_path: Any) -> None:
    assert workers.kill_at_random(str(tmp_path), times=2, seed=1) > 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_forked_child_gets_a_folder_of_its_own(tmp_path: Any) -> None:
    def parent_function(x: Any) -> Any:
        return x + 1

    def child_function(x: Any) -> Any:
        return x + 2

    with depyf.prepare_debug(tmp_path):
        torch.compile(parent_function, backend="eager")(torch.ones(2))
        child = os.fork()
        if child == 0:
            code = 1
            try:
                torch.compile(child_function, backend="eager")(torch.ones(2))
                import atexit

                with contextlib.suppress(AssertionError):  # multiprocessing's own, about the parent's pool of compilers
                    atexit._run_exitfuncs()
                code = 0
            finally:
                sys.stdout.flush()
                os._exit(code)
        assert os.waitpid(child, 0)[1] == 0
    assert "full_code_for_parent_function_0.py" in support.names(tmp_path)
    assert f"process_{child}/full_code_for_child_function_0.py" in support.names(tmp_path)
    assert f"[process_{child}]" in support.read(tmp_path, "index.md")


@support.requires("compiling_in_threads")
def test_threads_of_one_process(tmp_path: Any) -> None:
    workers.work(str(tmp_path), number=0, threads=4, functions=6)
    assert workers.functions_there(str(tmp_path)) == 24
    assert support.session(tmp_path)["problems"] == []
