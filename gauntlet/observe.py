"""A witness of its own: what PyTorch produced, what runs, and whether files parse, seen without asking depyf.

`depyf` says in session.json what it did; this is what that is held against.
"""

from __future__ import annotations

import ast
import json
import os
from types import CodeType, TracebackType
from typing import Any, Dict, List, Optional, Tuple, Type

from depyf.inspector.session import totals


class Witness:
    """Notes every bytecode that PyTorch produces while it is entered. Enter it before `prepare_debug`."""

    def __init__(self) -> None:
        self.produced: List[Tuple[CodeType, CodeType]] = []
        self._handle: Any = None

    def __enter__(self) -> Witness:
        from torch._dynamo.convert_frame import register_bytecode_hook

        self._handle = register_bytecode_hook(self._note)
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], traceback: Optional[TracebackType]
    ) -> None:
        self._handle.remove()

    def _note(self, original: CodeType, transformed: CodeType) -> None:
        self.produced.append((original, transformed))

    def running(self, folder: str) -> Tuple[int, int]:
        """Cache entries that hold code, and how many of them run from a file in `folder`."""
        from torch._dynamo.eval_frame import _debug_get_cache_entry_list

        originals = {id(original): original for original, _ in self.produced}
        found = [entry.code for original in originals.values() for entry in _debug_get_cache_entry_list(original)]
        codes = [code for code in found if code is not None]  # an entry whose guards died holds none
        prefix = os.path.realpath(folder) + os.sep
        return len(codes), sum(os.path.realpath(code.co_filename).startswith(prefix) for code in codes)


def files_in(folder: str) -> Tuple[int, List[str]]:
    """How many files the user can see there, and the Python files among them that do not parse."""
    count, broken = 0, []
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            count += 1
            if name.endswith(".py"):
                with open(os.path.join(place, name), encoding="utf-8") as stream:
                    text = stream.read()
                try:
                    ast.parse(text)
                except (SyntaxError, ValueError):
                    broken.append(name)
    return count, broken


def figures(folder: str, witness: Witness) -> Tuple[Dict[str, int], List[str]]:
    """The figures of a dump, and what is wrong with it."""
    with open(os.path.join(folder, "session.json"), encoding="utf-8") as stream:
        data = json.load(stream)
    count = totals(data)
    compilations = [c for f in data["functions"] for c in f["compilations"]]
    files, broken = files_in(folder)
    entries, running = witness.running(folder)
    found = {
        "bytecodes": len(witness.produced), "decompiled": count["transformed"], "equal": count["equal"],
        "linked": count["linked"], "entries": entries, "running": running, "files": files,
        "graphs": sum(len(c["graphs"]) for c in compilations), "graph_breaks": count["graph_breaks"],
        "recompiles": count["recompiles"], "guards": sum(len(c["guards"]) for c in compilations),
    }  # fmt: skip
    wrong = [f"problem inside depyf: {p['where']}: {p['what']}"[:300] for p in data["problems"]]
    wrong += [f"{name} does not parse" for name in broken]
    if found["decompiled"] != found["bytecodes"]:
        wrong.append(f"PyTorch produced {found['bytecodes']} bytecodes, {found['decompiled']} are in the dump")
    for compilation in compilations:
        code = compilation["transformed"]
        if code is not None and not (code["status"] == "EQUAL" and code["linked"]):
            wrong.append(f"{code['file']} is {code['status']}, {'' if code['linked'] else 'not '}linked: {code['reason']}")
    if running != entries:
        wrong.append(f"{entries - running} of {entries} cache entries do not run from the dump")
    return found, wrong
