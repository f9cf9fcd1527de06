"""`session.json`: the session for programs. The index is made from this and nothing else."""

from __future__ import annotations

import json
from typing import Any, Dict, List

from depyf.inspector.renderers import files
from depyf.inspector.session import SCHEMA, Compilation, Function, GraphBreak, Session


def session_data(session: Session) -> Dict[str, Any]:
    return {
        "schema": SCHEMA,
        "torch": session.torch_version,
        "python": session.python_version,
        "process": session.process,
        "rank": session.rank,
        "finished": session.finished,
        "functions": [_function(function) for function in _ordered(session)],
        "outside": [_outside(session, c) for c in session.compilations if c.function is None and not c.empty],
        "shown": [file.file for file in session.shown],
        "files": files.reading_order(session),
        "problems": [{"where": problem.where, "what": problem.what} for problem in session.problems],
    }


def _ordered(session: Session) -> List[Function]:
    """Functions in the order in which they were first compiled, each followed by its resume functions."""
    order: Dict[int, Function] = {}
    for top in session.top_level():
        order[id(top)] = top
        for compilation in files.in_order(top):
            for function in (compilation.function, *compilation.resumes.values()):
                if function is not None:
                    order.setdefault(id(function), function)
    for function in session.functions:
        if function.compilations:
            order.setdefault(id(function), function)
    return list(order.values())


def _function(function: Function) -> Dict[str, Any]:
    return {
        "name": function.name,
        "qualname": function.qualname,
        "file": function.file,
        "line": function.line,
        "resume": function.is_resume,
        "called_as": function.label,
        "parent": None if function.parent is None else function.parent.compile_id,
        "full_code": function.full_code,
        "dispatch_order": function.dispatch_order,
        "compilations": [_compilation(compilation) for compilation in function.compilations],
    }


def _outside(session: Session, compilation: Compilation) -> Dict[str, Any]:
    data = _compilation(compilation)
    function = session.frame_of(compilation)
    if not data["where"] and function is not None:
        data["where"] = f"{function.name} ({function.file}:{function.line})"
    return data


def _compilation(compilation: Compilation) -> Dict[str, Any]:
    record = compilation.transformed
    return {
        "compile_id": compilation.compile_id,
        "serial": compilation.serial,
        "before_entering": compilation.before_entering,
        "transformed": None
        if record is None
        else {
            "file": record.file,
            "status": record.status,
            "linked": record.linked,
            "reason": record.reason or record.why_not_linked,
        },
        "graphs": [
            {
                "name": graph.name,
                "full_name": graph.full_name,
                "files": [{"stage": file.stage, "file": file.file, "note": file.note} for file in graph.files],
            }
            for graph in compilation.graphs
        ],
        "guards": [
            {"kind": g.kind, "expression": g.expression, "text": g.text, "cause": g.cause, "place": g.place}
            for g in compilation.guards
        ],
        "graph_breaks": [_break(found) for found in compilation.graph_breaks],
        "recompiles": [
            {"entry": r.entry, "guard": r.guard, "old": r.old, "new": r.new} for r in compilation.recompiles
        ],
        "resumes": {name: function.name for name, function in compilation.resumes.items()},
        "symbols": compilation.symbols,
        "restarts": compilation.restarts,
        "failure": compilation.failure,
        "failed_at": None if compilation.failed_at is None else _break(compilation.failed_at),
        "where": compilation.where,
        "caches": compilation.caches,
        "timings": compilation.timings,
    }


def _break(found: GraphBreak) -> Dict[str, Any]:
    return {
        "reason": found.reason,
        "explanation": found.explanation,
        "hints": found.hints,
        "file": found.file,
        "line": found.line,
    }


def as_json(data: Dict[str, Any]) -> str:
    """One line for each key, and for each item of a list: short to write, and still fit for a diff."""
    lines = []
    for key, value in data.items():
        if isinstance(value, list) and value:
            items = ",\n  ".join(json.dumps(item, default=str) for item in value)
            lines.append(f"{json.dumps(key)}: [\n  {items}\n ]")
        else:
            lines.append(f"{json.dumps(key)}: {json.dumps(value, default=str)}")
    return "{\n " + ",\n ".join(lines) + "\n}\n"
