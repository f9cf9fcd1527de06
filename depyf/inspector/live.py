"""What PyTorch's caches hold: functions compiled before a session began, and the order in which entries are tried.

Cache entries are read out at once and never kept: the memory behind them goes with a reset.
"""

from __future__ import annotations

import functools
import os
from types import BuiltinMethodType, CodeType, FunctionType, MethodType
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Set, Tuple

from depyf import compatibility
from depyf.inspector import reasons
from depyf.inspector.recorder import Recorder
from depyf.inspector.session import Compilation, Function, GraphFile

_MOST_OBJECTS = 4000


class Earlier(NamedTuple):
    original: CodeType
    entry: compatibility.Entry


def compiled_so_far() -> List[Earlier]:
    """All cache entries of the process, those of one function together, oldest first."""
    found: List[Earlier] = []
    seen: Set[int] = set()
    for original, _ in compatibility.transformed_codes():
        if id(original) not in seen:
            seen.add(id(original))
            found.extend(Earlier(original, entry) for entry in reversed(compatibility.cache_entries(original)))
    return found


def record_earlier(recorder: Recorder, earlier: List[Earlier]) -> None:
    """Record functions that were compiled before the session, unless they were dumped into its folder already."""
    folder = recorder.directory.folder
    for original, entry in earlier:
        if os.path.dirname(entry.code.co_filename) == folder and "__transformed_code_" in entry.code.co_filename:
            continue
        try:
            _record(recorder, original, entry)
        except Exception as error:
            recorder.failed(f"recording {original.co_name}, which was compiled earlier", error)


def _record(recorder: Recorder, original: CodeType, entry: compatibility.Entry) -> None:
    session = recorder.session
    compilation = Compilation(entry.compile_id or "unknown", len(session.compilations))
    compilation.before_entering = compilation.finished = True
    session.compilations.append(compilation)
    namespace = compatibility.guard_globals(entry.guards)
    recorder.attach_code(compilation, original, entry.code, namespace)
    compilation.guard_text = compatibility.guard_text(entry.guards)
    compilation.guards = reasons.guards_of(compilation.guard_text)
    for graph in compilation.graphs:
        if graph.full_name in namespace:
            graph.files.extend(_stages(namespace[graph.full_name]))
    recorder.write_graphs(compilation)
    why = "compiled before prepare_debug was entered"
    recorder.write_transformed(compilation, original, entry.code, may_link=False, why=why)


def note_dispatch(recorder: Recorder) -> None:
    """The order in which PyTorch tries the entries now, and guards of those whose text the trace did not bring."""
    for function in recorder.session.functions:
        if function.code is None:
            continue
        try:
            entries = compatibility.cache_entries(function.code)
        except Exception as error:
            recorder.failed(f"reading the cache entries of {function.name}", error)
            continue
        order = [(_compilation_of(function, entry), entry) for entry in entries]
        function.dispatch_order = [compilation.compile_id for compilation, _ in order if compilation is not None]
        for compilation, entry in order:
            if compilation is not None and not compilation.guards:
                compilation.guard_text = compatibility.guard_text(entry.guards)
                compilation.guards = reasons.guards_of(compilation.guard_text)
            if compilation is not None:
                _add_kernels(recorder, compilation, compatibility.guard_globals(entry.guards))


def _compilation_of(function: Function, entry: compatibility.Entry) -> Optional[Compilation]:
    """The compilation that made an entry; older releases do not tell its id, but the code is its own."""
    for compilation in function.compilations:
        if compilation.running_code is entry.code:
            return compilation
    graphs = _graph_names(entry.code)
    for compilation in function.compilations:
        code = compilation.running_code
        if code is not None and graphs and _graph_names(code) == graphs:
            _note_replaced(compilation, entry.code)
            return compilation
    return None


def _graph_names(code: CodeType) -> List[str]:
    return [name for name in code.co_names if name.startswith("__compiled_fn_")]


def _note_replaced(compilation: Compilation, code: CodeType) -> None:
    """Another hook came after ours, such as that of a second session, and PyTorch runs what that one gave it."""
    compilation.running_code = code
    if compilation.transformed is not None and compilation.transformed.linked:
        compilation.transformed.linked = False
        compilation.transformed.why_not_linked = f"a hook that came later put code of {code.co_filename} in its place"


def _add_kernels(recorder: Recorder, compilation: Compilation, namespace: Dict[str, Any]) -> None:
    """Where the trace did not bring Inductor's code, it is found behind the callable: 2.3 brings that of the forward only."""
    for graph in compilation.graphs:
        known = [file.text.strip() for file in graph.files if file.stage == "kernel"]
        wanted = 0 if recorder.traced else 1
        if known and graph.stage("Backward_graph") is not None:
            wanted = 2
        if graph.full_name in namespace and len(known) < wanted:
            found = [file for file in _stages(namespace[graph.full_name]) if file.stage == "kernel"]
            graph.files.extend(file for file in found if file.text.strip() not in known)
            recorder.write_graphs(compilation)


# --- the graphs behind a compiled function


def graphs_behind(compiled: Any) -> Iterator[Tuple[str, Any]]:
    """(stage, graph module) for each module that a compiled callable runs, for whoever wants to step through them."""
    for value in _reachable(compiled):
        if _is_graph_module(value):
            yield _stage_of(value), value


def _stages(compiled: Any) -> Iterator[GraphFile]:
    """What can still be found of a graph: its modules, and Inductor's texts."""
    for value in _reachable(compiled):
        if type(value).__name__ == "CompiledFxGraph":
            for attribute, stage in (("inductor_post_grad_graph_str", "AFTER_POST_GRAD"), ("source_code", "kernel")):
                text = getattr(value, attribute, None)
                if isinstance(text, str) and text:
                    yield GraphFile(stage, text)
                elif stage == "kernel":
                    yield from _kernel_file(getattr(value, "artifact_path", None))  # 2.2
        elif _is_graph_module(value):
            yield GraphFile(_stage_of(value), compatibility.readable(value))


def _kernel_file(path: Any) -> Iterator[GraphFile]:
    if isinstance(path, str) and os.path.exists(path):
        with open(path, encoding="utf-8") as stream:
            yield GraphFile("kernel", stream.read(), note=path)


def _is_graph_module(value: Any) -> bool:
    import torch.fx

    return isinstance(value, torch.fx.GraphModule)


def _stage_of(graph_module: Any) -> str:
    """Dynamo's graph calls torch functions and methods, AOTAutograd's only operator overloads."""
    import torch

    calls = [node for node in graph_module.graph.nodes if node.op in ("call_function", "call_method", "call_module")]
    aten = all(isinstance(node.target, torch._ops.OpOverload) for node in calls if node.op == "call_function")
    if calls and aten and all(node.op == "call_function" for node in calls):
        names = [node.name for node in graph_module.graph.nodes if node.op == "placeholder"]
        return "Backward_graph" if any(name.startswith("tangents_") for name in names) else "Forward_graph"
    return "Captured_Graph"


def _reachable(start: Any) -> Iterator[Any]:
    """Graph modules and compiled graphs that a callable holds, through wrappers, closures and containers."""
    pending: List[Any] = [start]
    seen: Set[int] = set()
    while pending and len(seen) < _MOST_OBJECTS:
        value = pending.pop(0)
        if id(value) in seen:
            continue
        seen.add(id(value))
        if type(value).__name__ == "CompiledFxGraph" or _is_graph_module(value):
            yield value
            continue
        pending.extend(_held_by(value))


def _held_by(value: Any) -> Tuple[Any, ...]:
    if isinstance(value, FunctionType):
        contents = tuple(_contents(cell) for cell in value.__closure__ or ())
        return (*contents, *(value.__defaults__ or ()), *vars(value).values())
    if isinstance(value, MethodType):
        return (value.__func__, value.__self__)
    if isinstance(value, BuiltinMethodType):
        return (value.__self__,)  # the `apply` of an autograd function, which is one since 2.15
    if isinstance(value, (staticmethod, classmethod)):
        return (value.__func__,)
    if isinstance(value, functools.partial):
        return (value.func, *value.args, *value.keywords.values())
    if type(value) in (list, tuple):
        return tuple(value[:50])
    if type(value).__module__.partition(".")[0] == "torch" and isinstance(getattr(value, "__dict__", None), dict):
        return tuple(vars(value).values())
    if isinstance(value, type) and value.__module__.partition(".")[0] == "torch":
        return tuple(v for k, v in vars(value).items() if not k.startswith("__"))
    return ()


def _contents(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None
