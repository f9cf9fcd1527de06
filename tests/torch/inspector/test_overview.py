"""The data of several processes in one directory: nobody puts back what another has brought up to date."""

from __future__ import annotations

import json
import threading
from typing import Any, List

from depyf.inspector import finish
from depyf.inspector.directory import DumpDirectory
from depyf.inspector.session import Function, Session
from tests.torch.inspector import support


def session_with(count: int) -> Session:
    session = Session("")
    session.functions = [Function(f"f{i}", f"f{i}", "x.py", 1) for i in range(count)]
    for function in session.functions:
        session.compilations.append(finish.Compilation("0/0", len(session.compilations), function))
        function.compilations.append(session.compilations[-1])
    return session


def test_many_writers_of_one_root(tmp_path: Any) -> None:
    owner = DumpDirectory(str(tmp_path))
    owner.claim()
    others = [DumpDirectory(str(tmp_path)) for _ in range(3)]
    for other in others:
        other.claim()
    assert len({directory.folder for directory in (owner, *others)}) == 4
    errors: List[BaseException] = []

    def write(directory: DumpDirectory) -> None:
        try:
            for count in range(1, 30):
                finish.write_index(session_with(count), directory)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=write, args=(directory,)) for directory in (owner, *others)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    data = support.session(tmp_path)
    assert len(data["functions"]) == 29 and len(data["processes"]) == 3
    for other in others:
        with open(f"{other.folder}/session.json", encoding="utf-8") as stream:
            assert len(json.load(stream)["functions"]) == 29
    assert support.read(tmp_path, "index.md").count("/index.md)") == 3
