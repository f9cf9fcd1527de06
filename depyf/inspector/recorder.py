"""Turns what the hooks deliver into session data, and writes each file as soon as what it shows is known.

Called from whatever thread compiles; one lock orders that. May raise anything: the hooks guard every call.
"""

from __future__ import annotations

import os
import re
import threading
from types import CodeType
from typing import Any, Callable, Dict, List, Optional, Tuple

from depyf import compatibility
from depyf.inspector import pickled, reasons, source
from depyf.inspector.directory import DumpDirectory
from depyf.inspector.hooks import Receiver
from depyf.inspector.naming import plain_graph_name, safe
from depyf.inspector.recompiles import recompiles_of
from depyf.inspector.renderers import files
from depyf.inspector.renderers.text import exported_program
from depyf.inspector.session import Compilation, Graph, GraphFile, Problem, Session, Transformed

_GRAPH_NAME = re.compile(r"^__compiled_fn_\d+")
_RESUME_NAME = re.compile(r"^__resume_at_")
_TIMINGS = re.compile(r"_time_(s|us|ms)$|_us$|_ms$")
_CLOCK = frozenset({"start_time_us", "end_time_us", "start_time", "end_time", "distributed_ephemeral_timeout_us"})
_CACHES = re.compile(r"^(fx_graph|fx_graph_bundled|aotautograd|autograd|dynamo)_cache_(hit|miss|bypass)$")


class Recorder(Receiver):
    def __init__(
        self,
        session: Session,
        directory: DumpDirectory,
        log_bytecode: bool = False,
        keep_wild: bool = False,
        on_fork: Optional[Callable[[], None]] = None,
        on_finished: Optional[Callable[[], None]] = None,
    ) -> None:
        self.process = os.getpid()
        self.session = session
        self.directory = directory
        self.log_bytecode = log_bytecode
        self.keep_wild = keep_wild
        self.lock = threading.RLock()
        self._on_fork = on_fork
        self._on_finished = on_finished
        self._open: Dict[str, Compilation] = {}
        self.traced = compatibility.trace_logger() is not None

    # --- what goes wrong

    def failed(self, where: str, error: BaseException) -> None:
        what = f"{type(error).__name__}: {error}"
        if len(self.session.problems) < 1000:
            self.session.problems.append(Problem(where, what))

    def forked(self) -> None:
        self.process = os.getpid()
        self.lock = threading.RLock()
        self._open = {}
        if self._on_fork is not None:
            self._on_fork()

    # --- the transformed bytecode

    def bytecode(self, original: CodeType, transformed: CodeType) -> Optional[CodeType]:
        compile_id = compatibility.current_compile_id() or "unknown"
        with self.lock:
            compilation = self._current(compile_id)
            if compilation.transformed is not None:
                compilation = self._begin(compile_id)
            namespace = compatibility.frame_globals()
            self.attach_code(compilation, original, transformed, namespace)
            linked = self.write_transformed(compilation, original, transformed)
            return linked

    def attach_code(
        self, compilation: Compilation, original: CodeType, transformed: CodeType, namespace: Dict[str, Any]
    ) -> None:
        """Relate a compilation to its function, its graphs by name, and its resume functions."""
        function = self.session.function_of(original)
        compilation.function = function
        compilation.transformed_code = transformed
        if compilation not in function.compilations:
            function.compilations.append(compilation)
        for name in names_in(transformed):
            if _GRAPH_NAME.match(name):
                self._graph(compilation, name)
            elif _RESUME_NAME.match(name):
                code = compatibility.resume_code(namespace.get(name))
                if code is not None:
                    self._attach_resume(compilation, name, code)
        for constant in transformed.co_consts:  # one with free variables is made where it is called, up to 2.11
            if isinstance(constant, CodeType) and "resume_in_" in constant.co_name:
                self._attach_resume(compilation, "", constant)

    def _attach_resume(self, compilation: Compilation, name: str, code: CodeType) -> None:
        resume = self.session.function_of(code)
        resume.parent = resume.parent or compilation
        resume.label = resume.label or name or self._free_label(f"compiled_{safe(code.co_name)}")
        compilation.resumes[name or resume.label] = resume

    def _free_label(self, label: str) -> str:
        taken = {function.label for function in self.session.functions}
        numbered = (f"{label}_{number}" for number in range(2, len(taken) + 3))
        return next(name for name in (label, *numbered) if name not in taken)

    def write_transformed(
        self, compilation: Compilation, original: CodeType, transformed: CodeType, may_link: bool = True, why: str = ""
    ) -> Optional[CodeType]:
        """Write the source of transformed code; gives back the code to run instead, when it is proven equal."""
        suffix = safe(original.co_name)
        template = f"__transformed_code_{{}}_for_{suffix}.py"
        number = self.directory.names.number(template)
        file = template.format(number)
        path = self.directory.path(file)
        name = f"__transformed_code_{number}_for_{suffix}"
        result = source.linked_source(transformed, name, path)
        linked = may_link and result.code is not None
        reason = "" if linked else (why or result.reason)
        made = Transformed(file, number, name, result.text, result.status, result.reason, linked, reason)
        compilation.transformed = made
        compilation.running_code = transformed
        try:
            self.directory.write(file, files.transformed(self.session, compilation))
            code = result.code and source.moved_down(result.code, files.lines_above(made), path)
        except Exception as error:  # what has no file must not be linked to one, nor say that it is
            made.linked, made.why_not_linked = False, f"the file could not be written in time ({error})"
            raise
        if self.log_bytecode:
            self._dump_bytecode(file, original, transformed, code)
        compilation.running_code = code if linked else transformed
        return code if linked else None

    def _dump_bytecode(self, file: str, original: CodeType, transformed: CodeType, back: Optional[CodeType]) -> None:
        dumps: List[Tuple[str, Optional[CodeType]]] = [
            ("original_bytecode", original),
            ("transformed_bytecode", transformed),
            ("decompiled_and_compiled_back_bytecode", back),
        ]
        for suffix, code in dumps:
            if code is not None:
                try:
                    self.directory.write_bytes(f"{file}.{suffix}", pickled.dill_dump(code))
                except Exception as error:  # no dill here, or constants that no pickler takes
                    self.failed(f"dumping {suffix} of {file}", error)

    # --- the structured trace

    def trace(self, metadata: Dict[str, Any], payload: Optional[str]) -> None:
        event = next(iter(metadata), "")
        stage = compatibility.TRACE_STAGES.get(event)
        handler = self._handlers.get(event)
        if stage is None and handler is None:
            return
        compile_id = compatibility.trace_compile_id(metadata)
        with self.lock:
            if stage is not None:
                self._trace_graph(stage, compile_id, payload or "")
            elif handler is not None:
                handler(self, compile_id, metadata[event], payload or "")

    def _trace_graph(self, stage: str, compile_id: Optional[str], payload: str) -> None:
        if compile_id is None:
            self._wild(stage, payload)
            return
        compilation = self._current(compile_id)
        if stage == "Captured_Graph":
            if compilation.finished:
                compilation = self._begin(compile_id)  # an export, or a compilation whose id was used before
            elif (
                compilation.graphs and compilation.graphs[-1].stage(stage) is not None and not _named_last(compilation)
            ):
                compilation.graphs.append(Graph("", ""))
        graph = self._latest_graph(compilation)
        graph.files.append(GraphFile(stage, payload))
        self.write_graphs(compilation)

    def _trace_artifact(self, compile_id: Optional[str], data: Any, payload: str) -> None:
        name = str(data.get("name", "")) if isinstance(data, dict) else ""
        if name in compatibility.ARTIFACT_STAGES:
            self._trace_graph(compatibility.ARTIFACT_STAGES[name], compile_id, payload)
        elif compile_id is None:
            return
        elif name == "dynamo_graph_break_reason":
            self._current(compile_id).graph_breaks.append(reasons.graph_break_of(payload))
        elif name == "recompile_reasons":
            values = {"G": compatibility.frame_globals(), **compatibility.frame_locals()}
            self._begin_if_used(compile_id).recompiles = recompiles_of(payload, values)
        elif name == "dynamo_error":
            self._current(compile_id).failure = payload.strip().splitlines()[-1] if payload.strip() else name
        elif _CACHES.match(name):
            caches = self._current(compile_id).caches
            caches[name] = caches.get(name, 0) + 1

    def _trace_start(self, compile_id: Optional[str], data: Any, payload: str) -> None:
        if compile_id is not None:
            compilation = self._begin_if_used(compile_id)
            stack = data.get("stack") if isinstance(data, dict) else None
            if stack:
                frame = stack[-1]
                file = compatibility.interned_file(frame.get("filename"))
                compilation.where = f"{frame.get('name')} ({file}:{frame.get('line')})"

    def _trace_kernel(self, compile_id: Optional[str], data: Any, payload: str) -> None:
        if compile_id is None:
            self._wild("kernel", payload)
            return
        path = str(data.get("file_path") or data.get("filename") or "") if isinstance(data, dict) else ""
        compilation = self._current(compile_id)
        graph = self._latest_graph(compilation)
        graph.files.append(GraphFile("kernel", payload, note=path))
        self.write_graphs(compilation)

    def _trace_guards(self, compile_id: Optional[str], data: Any, payload: str) -> None:
        if compile_id is not None:
            compilation = self._current(compile_id)
            compilation.guard_text = payload
            compilation.guards = reasons.guards_of(payload, compatibility.frame_locals())

    def _trace_guard_list(self, compile_id: Optional[str], data: Any, payload: str) -> None:
        """All that 2.3 tells of guards; later releases tell their tree besides, which says more."""
        if compile_id is not None and not self._current(compile_id).guard_text:
            compilation = self._current(compile_id)
            compilation.guard_text = reasons.text_of_guards(payload, compatibility.interned_file)
            compilation.guards = reasons.guards_of(compilation.guard_text)

    def _trace_metrics(self, compile_id: Optional[str], data: Any, payload: str) -> None:
        if compile_id is None or not isinstance(data, dict):
            return
        compilation = self._current(compile_id)
        for name, value in data.items():
            match = _TIMINGS.search(name)
            if (
                match
                and name not in _CLOCK
                and isinstance(value, (int, float))
                and not isinstance(value, bool)
                and value > 0
            ):
                seconds = value / {"us": 1e6, "ms": 1e3}.get(name.rpartition("_")[2], 1)
                compilation.timings[re.sub(r"_(s|us|ms)$", "", name)] = round(seconds, 6)
        compilation.restarts = [str(reason) for reason in data.get("restart_reasons") or []]
        if data.get("fail_reason"):
            file, line = data.get("fail_user_frame_filename"), data.get("fail_user_frame_lineno")
            compilation.failed_at = reasons.failure_of(str(data["fail_reason"]), str(file or ""), int(line or 0))
            compilation.failure = compilation.failed_at.reason
        self._finish(compilation)

    def _trace_symbol(self, compile_id: Optional[str], data: Any, payload: str) -> None:
        if compile_id is not None and isinstance(data, dict) and data.get("symbol"):
            text = (
                f"{data['symbol']} = {data.get('source', '?')}, first {data.get('val', '?')}, in {data.get('vr', '?')}"
            )
            symbols = self._current(compile_id).symbols
            symbols += [text] if text not in symbols else []

    _handlers: Dict[str, Callable[[Recorder, Optional[str], Any, str], None]] = {
        "artifact": _trace_artifact,
        "dynamo_start": _trace_start,
        "inductor_output_code": _trace_kernel,
        "dynamo_cpp_guards_str": _trace_guards,
        "dynamo_guards": _trace_guard_list,
        "compilation_metrics": _trace_metrics,
        "create_symbol": _trace_symbol,
    }

    # --- graphs shown through lazy_format_graph_code

    def graph_shown(self, name: str, graph_module: Any, by: str) -> None:
        compile_id = compatibility.current_compile_id()
        with self.lock:
            if _GRAPH_NAME.match(name) and compile_id is not None:
                compilation = self._current(compile_id)
                if compilation.finished or (compilation.transformed is not None):
                    compilation = self._begin(compile_id)
                graph = self._graph(compilation, name)
                if not self.traced:
                    graph.files.append(GraphFile("Captured_Graph", compatibility.readable(graph_module)))
            elif by.partition(".")[0] == "torch":
                if not self.traced and name in compatibility.SHOWN_STAGES and compile_id is not None:
                    self._trace_graph(
                        compatibility.SHOWN_STAGES[name], compile_id, compatibility.readable(graph_module)
                    )
            else:
                self._client_graph(name, graph_module, compile_id)

    def _client_graph(self, name: str, graph_module: Any, compile_id: Optional[str]) -> None:
        """A graph that a client shows on purpose: a stage of the graph in compilation, or one that stands alone."""
        shown = GraphFile(safe(name), compatibility.readable(graph_module))
        if compile_id is None:
            self._alone(shown)
            return
        compilation = self._current(compile_id)
        self.note_graph_in_compilation(compilation)
        self._latest_graph(compilation).files.append(shown)
        self.write_graphs(compilation)

    def exported(self, program: Callable[[], object]) -> None:
        with self.lock:
            self._alone(GraphFile("Exported_program", exported_program(str(program()))))

    def _alone(self, shown: GraphFile) -> None:
        template = f"shown_graph.{shown.stage}.{{}}.py"
        shown.file = template.format(self.directory.names.number(template))
        self.session.shown.append(shown)
        self.directory.write(shown.file, files.lone_graph(shown))

    def note_graph_in_compilation(self, compilation: Compilation) -> None:
        """When the session began inside a backend, Dynamo's own frames tell the graph that was shown before."""
        if compilation.graphs:
            return
        name, graph_module = compatibility.graph_in_compilation()
        if name is not None:
            graph = self._graph(compilation, name)
            if graph_module is not None:
                graph.files.append(GraphFile("Captured_Graph", compatibility.readable(graph_module)))
                self.write_graphs(compilation)

    def _wild(self, stage: str, payload: str) -> None:
        """Graphs that belong to no compiled function; they are kept only on request."""
        if self.keep_wild and payload:
            template = f"wild_fx_code.{stage}.{{}}.py"
            file = GraphFile(stage, payload, template.format(self.directory.names.number(template)))
            self.session.shown.append(file)
            self.directory.write(file.file, files.lone_graph(file))

    # --- compilations and their graphs

    def _begin(self, compile_id: str) -> Compilation:
        previous = self._open.get(compile_id)
        if previous is not None:
            self._finish(previous)
        compilation = Compilation(compile_id, len(self.session.compilations))
        self.session.compilations.append(compilation)
        self._open[compile_id] = compilation
        return compilation

    def _begin_if_used(self, compile_id: str) -> Compilation:
        current = self._open.get(compile_id)
        return current if current is not None and current.empty and not current.finished else self._begin(compile_id)

    def _current(self, compile_id: str) -> Compilation:
        return self._open.get(compile_id) or self._begin(compile_id)

    def enter_compilation(self) -> None:
        """The session begins inside a backend: note the graph that is being compiled."""
        compile_id = compatibility.current_compile_id()
        if compile_id is not None:
            with self.lock:
                self.note_graph_in_compilation(self._current(compile_id))

    def _graph(self, compilation: Compilation, full_name: str) -> Graph:
        for graph in compilation.graphs:
            if graph.full_name == full_name:
                return graph
        for graph in compilation.graphs:
            if not graph.full_name:  # its stages came before its name
                graph.name, graph.full_name = plain_graph_name(full_name), full_name
                self.write_graphs(compilation)
                return graph
        graph = Graph(plain_graph_name(full_name), full_name)
        compilation.graphs.append(graph)
        return graph

    def _latest_graph(self, compilation: Compilation) -> Graph:
        if not compilation.graphs:
            compilation.graphs.append(Graph("", ""))
        return compilation.graphs[-1]

    def write_graphs(self, compilation: Compilation) -> None:
        for graph in compilation.graphs:
            for file in graph.files:
                if graph.name and not file.file:
                    base = safe(graph.name)
                    template = f"{base}.kernel_{{}}.py" if file.stage == "kernel" else f"{base}.{file.stage}.{{}}.py"
                    file.file = template.format(self.directory.names.number(template))
                    self.directory.write(file.file, files.graph(self.session, compilation, graph, file))

    def _finish(self, compilation: Compilation) -> None:
        if not compilation.finished:
            compilation.finished = True
            for graph in compilation.graphs:
                if not graph.name and graph.files:  # no code calls it: an export, or a compilation that failed
                    graph.name = _name_without_caller(compilation.compile_id)
            self.write_graphs(compilation)
        if self._on_finished is not None:
            self._on_finished()

    def finish_all(self) -> None:
        with self.lock:
            for compilation in self.session.compilations:
                if not compilation.finished:
                    self._finish(compilation)


def _named_last(compilation: Compilation) -> bool:
    last = compilation.graphs[-1]
    return bool(last.full_name) and not last.files


def _name_without_caller(compile_id: str) -> str:
    if compile_id.startswith("!") and "/" not in compile_id:
        return f"__compiled_autograd_{safe(compile_id[1:])}"
    return f"__compiled_fn_of_{safe(compile_id.lstrip('!'))}"


def names_in(code: CodeType) -> List[str]:
    """Global names that code and the code nested in it use, in order, each once."""
    found: Dict[str, None] = {}
    pending = [code]
    while pending:
        current = pending.pop()
        found.update(dict.fromkeys(current.co_names))
        pending.extend(constant for constant in current.co_consts if isinstance(constant, CodeType))
    return list(found)
