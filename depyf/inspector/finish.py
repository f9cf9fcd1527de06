"""Completes a dump directory when a session ends: earlier functions, whole headers, full code, index and data.

Each step is guarded by itself: what cannot be written is a problem of the session, and the rest is written.
"""

from __future__ import annotations

import inspect
import json
import linecache
import os
import textwrap
from typing import Any, Callable, Dict, List, Optional

from depyf.inspector import live, source
from depyf.inspector.directory import DumpDirectory
from depyf.inspector.naming import safe
from depyf.inspector.ranks import compare
from depyf.inspector.recorder import Recorder
from depyf.inspector.renderers import files
from depyf.inspector.renderers.data import as_json, session_data
from depyf.inspector.renderers.full_code import full_code
from depyf.inspector.renderers.index import index
from depyf.inspector.renderers.text import syntax_error
from depyf.inspector.session import Compilation, Function, Graph, GraphFile, Session


def complete(recorder: Recorder, earlier: List[live.Earlier]) -> None:
    session, directory = recorder.session, recorder.directory
    steps: List[Any] = [
        ("finishing compilations", recorder.finish_all),
        ("recording earlier functions", lambda: live.record_earlier(recorder, earlier)),
        ("reading the order of entries", lambda: live.note_dispatch(recorder)),
        ("noting what was given up", session.note_given_up),
        ("naming full code", lambda: _name_full_code(session, directory)),
    ]
    for where, step in steps:
        _guarded(recorder, where, step)
    neighbours: files.Neighbours = {}
    _guarded(recorder, "finding the order of files", lambda: neighbours.update(files.around(session)))
    for function in session.functions:
        _guarded(recorder, f"reading the source of {function.name}", add_source, function)
    _guarded(recorder, "completing headers", _write_compilations, recorder, neighbours)
    for function in session.top_level():
        _guarded(recorder, f"writing {function.full_code}", _write_full_code, recorder, function, neighbours)
    session.finished = True
    _guarded(recorder, "writing the index", write_index, session, directory)
    _guarded(recorder, "leaving the directory", directory.close)
    session.release()


def _guarded(recorder: Recorder, where: str, step: Callable[..., Any], *args: Any) -> None:
    try:
        step(*args)
    except Exception as error:
        recorder.failed(where, error)


def _name_full_code(session: Session, directory: DumpDirectory) -> None:
    for function in session.top_level():
        if not function.full_code:
            template = f"full_code_for_{safe(function.name)}_{{}}.py"
            function.full_code = template.format(directory.names.number(template))


def _write_compilations(recorder: Recorder, neighbours: files.Neighbours) -> None:
    for compilation in recorder.session.compilations:
        if compilation.transformed is not None:
            where = f"writing {compilation.transformed.file}"
            _guarded(recorder, where, _write_transformed, recorder, compilation, neighbours)
        for graph in compilation.graphs:
            for file in graph.files:
                if file.file:
                    _guarded(
                        recorder, f"writing {file.file}", _write_graph, recorder, compilation, graph, file, neighbours
                    )
    for file in recorder.session.shown:
        _guarded(recorder, f"writing {file.file}", _write_shown, recorder, file, neighbours)


def _write_shown(recorder: Recorder, file: GraphFile, neighbours: files.Neighbours) -> None:
    recorder.directory.write(file.file, files.lone_graph(file, neighbours))


def _write_transformed(recorder: Recorder, compilation: Compilation, neighbours: files.Neighbours) -> None:
    if compilation.transformed is not None:
        text = files.transformed(recorder.session, compilation, neighbours)
        recorder.directory.write(compilation.transformed.file, text)


def _write_graph(
    recorder: Recorder, compilation: Compilation, graph: Graph, file: GraphFile, neighbours: files.Neighbours
) -> None:
    recorder.directory.write(file.file, files.graph(recorder.session, compilation, graph, file, neighbours))


def _write_full_code(recorder: Recorder, function: Function, neighbours: files.Neighbours) -> None:
    recorder.directory.write(function.full_code, full_code(recorder.session, function, neighbours))


def add_source(function: Function) -> None:
    """The user's own text where there is one; resume functions have none, since Dynamo makes them."""
    if function.source or function.code is None:
        return
    if not function.is_resume and "resume_in_" not in function.name:
        # straight from the line cache: inspect would search all modules for each function that has no file
        lines = linecache.getlines(function.file)[max(function.line - 1, 0) :]
        try:
            text = textwrap.dedent("".join(inspect.getblock(lines))) if lines else ""
        except (IndentationError, SyntaxError):
            text = ""
        if text and syntax_error(text) is None:
            function.source = text
            return
    function.source = source.readable_source(function.code, function.original_name)


# --- the index, for one process or several


def write_index(session: Session, directory: DumpDirectory) -> None:
    """`session.json` and `index.md` of this folder, and the overview in the root when there is more than one folder.

    Other processes read the root's data and write it back with the list of folders, so all writing there is under its lock.
    """
    if directory.folder != directory.root:
        _write_own(session, directory)
    with directory.locked(directory.root):
        if directory.folder == directory.root:
            _write_own(session, directory)
        if directory.sessions():
            _write_overview(directory)


def _write_own(session: Session, directory: DumpDirectory) -> None:
    data = _merged(directory, session_data(session))
    try:
        directory.write("session.json", as_json(data))
    finally:
        directory.write("index.md", index(data, {}, directory.folder))


def _merged(directory: DumpDirectory, data: Dict[str, Any]) -> Dict[str, Any]:
    """This process may have had a session here before; its functions come first."""
    before = directory.previous
    if before is None:
        return data
    merged = dict(data)
    for key in ("functions", "outside", "shown", "files", "problems"):
        merged[key] = [*before.get(key, []), *data[key]]
    return merged


def _write_overview(directory: DumpDirectory) -> None:
    own = _load(os.path.join(directory.root, "session.json"))
    if own is not None and "functions" not in own:
        own = None
    folders = directory.sessions()
    others = {name: _load(os.path.join(directory.root, name, "session.json")) for name in folders}
    compared = compare(others, lambda name: _text(os.path.join(directory.root, *name.split("/"))))
    directory.write_root("index.md", index(own, others, directory.root, compared))
    shown: Dict[str, Any] = {} if own is None else dict(own)
    shown["ranks"] = compared
    shown["processes"] = [f"{name}/session.json" for name, data in others.items() if data is not None]
    directory.write_root("session.json", as_json(shown))


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as stream:
            return stream.read()
    except (OSError, ValueError):
        return ""


def _load(path: str) -> Optional[Dict[str, Any]]:
    try:
        with open(path, encoding="utf-8") as stream:
            data = json.load(stream)
    except (OSError, ValueError):
        return None
    return data if isinstance(data, dict) else None
