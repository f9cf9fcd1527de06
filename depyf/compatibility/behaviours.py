"""What newer PyTorch releases have and older ones lack, as far as users and tests notice: one name for each.

`present` decides by what the installed PyTorch has. The release in the table is the one that each came with, as seen by
`make matrix`, which fails when the table and a release disagree.
"""

from __future__ import annotations

import importlib
from typing import Any, Callable, Dict, NamedTuple, Tuple

from depyf.compatibility.execution import aot_graphs_run_as_code, frames_have_actions
from depyf.compatibility.tracing import lines_of_guards_are_kept, trace_logger, tracing_can_be_unseen


class Behaviour(NamedTuple):
    """One difference: its name, the release it came with, what is missing without it, and how to see it."""

    name: str
    since: Tuple[int, int]
    without: str
    probe: Callable[[], bool]


def _has(module: str, *names: str) -> Callable[[], bool]:
    def probe() -> bool:
        try:
            value: Any = importlib.import_module(module)
        except ImportError:
            return False
        for name in names:
            if not hasattr(value, name):
                return False
            value = getattr(value, name)
        return True

    return probe


def _says(module: str, text: str) -> Callable[[], bool]:
    """Whether a module's source has this text, for what is told under a name and leaves no other mark."""

    def probe() -> bool:
        import inspect

        return text in inspect.getsource(importlib.import_module(module))

    return probe


def _resume_functions_have_names() -> bool:
    return not _says("torch._dynamo.symbolic_convert", "cg.make_function_with_closure(")()


def _post_grad_text_is_kept() -> bool:
    """Whether Inductor's compiled graphs have a field for it; their class moved in 2.6."""
    for module in ("torch._inductor.output_code", "torch._inductor.codecache"):
        try:
            graph = getattr(importlib.import_module(module), "CompiledFxGraph", None)
        except ImportError:
            continue
        if "inductor_post_grad_graph_str" in getattr(graph, "__annotations__", {}):
            return True
    return False


BEHAVIOURS: Tuple[Behaviour, ...] = (
    Behaviour(
        "structured_trace",
        (2, 3),
        "graphs are seen only as PyTorch shows them in its log: no stages of cached graphs",
        lambda: trace_logger() is not None,
    ),
    Behaviour(
        "resume_names",
        (2, 3),
        "the name of a resume function does not tell the line that it goes on from",
        _says("torch._dynamo.resume_execution", "torch_dynamo_resume_in"),
    ),
    Behaviour(
        "lazy_graph_code",
        (2, 3),
        "graph modules make their code at once, so it is not known which of them never ran",
        _has("torch.fx._lazy_graph_module", "_LazyGraphModule"),
    ),
    Behaviour(
        "times_in_trace",
        (2, 4),
        "it is not told how long compiling took",
        _says("torch._dynamo.utils", '"compilation_metrics"'),
    ),
    Behaviour(
        "compiled_autograd_switch",
        (2, 4),
        "compiled autograd cannot be switched on in the configuration",
        _has("torch._dynamo.config", "compiled_autograd"),
    ),
    Behaviour(
        "compiling_in_threads",
        (2, 4),
        "a process in which several threads compile at the same time may crash, without depyf too",
        # there is nothing to see it by; the backend of a call is no longer kept in Python, which came with the same release
        lambda: not hasattr(importlib.import_module("torch._dynamo.eval_frame"), "guarded_backend_cache"),
    ),
    Behaviour(
        "guard_tree",
        (2, 5),
        "guards are one function over texts: guard_report has one time for all of them",
        _has("torch._C._dynamo.guards", "RootGuardManager"),
    ),
    Behaviour(
        "compile_id_of_entries",
        (2, 5),
        "entries do not tell their compile id: depyf knows them by their code",
        _has("torch._C._dynamo.eval_frame", "_CacheEntry", "compile_id"),
    ),
    Behaviour(
        "recompile_reasons",
        (2, 5),
        "it is not told why something is compiled again",
        _says("torch._dynamo.guards", '"recompile_reasons"'),
    ),
    Behaviour(
        "inlined_modules",
        (2, 5),
        "modules are guarded by their identity, so there are no guards on what is inside them",
        lambda: bool(getattr(importlib.import_module("torch._dynamo.config"), "inline_inbuilt_nn_modules", False)),
    ),
    Behaviour(
        "stance",
        (2, 6),
        "guards cannot be switched off for comparison: guard_report has no times of single guards",
        _has("torch.compiler", "set_stance"),
    ),
    Behaviour(
        "graph_break_reasons",
        (2, 6),
        "graph breaks are not told, neither where nor why",
        _says("torch._dynamo.symbolic_convert", '"dynamo_graph_break_reason"'),
    ),
    Behaviour(
        "symbols_in_trace",
        (2, 6),
        "it is not told which sizes became symbols",
        _says("torch.fx.experimental.symbolic_shapes", 'trace_structured(\n                "create_symbol"'),
    ),
    Behaviour(
        "frame_actions",
        (2, 7),
        "inside debug(), what no entry fits runs uncompiled, and the message why is given for the function that torch.compile "
        "was given, not for functions that it calls and parts of it",
        frames_have_actions,
    ),
    Behaviour(
        "unseen_tracing",
        (2, 7),
        "where backward is called inside compiled code, torch.compile looks at the frames that writing the trace takes, for depyf as "
        "for TORCH_TRACE: it counts more of them and compiles no more",
        tracing_can_be_unseen,
    ),
    Behaviour(
        "graph_break_hints",
        (2, 7),
        "graph breaks come with a reason and without PyTorch's hints",
        _has("torch._dynamo.graph_break_hints"),
    ),
    Behaviour(
        "autograd_cache",
        (2, 7),
        "what AOTAutograd made is not kept for the next run",
        lambda: bool(getattr(importlib.import_module("torch._functorch.config"), "enable_autograd_cache", False)),
    ),
    Behaviour(
        "exported_programs",
        (2, 7),
        "torch.export does not show its program",
        _has("torch.export._trace", "dtrace_structured"),
    ),
    Behaviour(
        "pregraph_markers",
        (2, 8),
        "transformed code has no markers for the profiler, so the dispatcher has none to take out",
        _has("torch._dynamo.utils", "record_pregraph_bytecode_enter"),
    ),
    Behaviour(
        "post_grad_text_of_entries",
        (2, 8),
        "the graph after Inductor's passes is not known of what was compiled before prepare_debug was entered, or in a run before",
        _post_grad_text_is_kept,
    ),
    Behaviour(
        "guard_filters",
        (2, 8),
        "torch.compile has no option to leave guards out, and guard_report names depyf.optimization.skip_guards instead",
        _has("torch.compiler", "skip_guard_on_globals_unsafe"),
    ),
    Behaviour(
        "lines_of_guards",
        (2, 9),
        "guards tell the line that they come from only where they were compiled inside prepare_debug (2.2: everywhere)",
        lines_of_guards_are_kept,
    ),
    Behaviour(
        "boxed_graph_code",
        (2, 10),
        "backend aot_eager interprets its graphs: inside debug() depyf has their code called instead",
        aot_graphs_run_as_code,
    ),
    Behaviour(
        "resume_functions_by_name",
        (2, 12),
        "resume functions that close over variables are constants of the transformed code; on CPython 3.14, one that goes on "
        "inside a with statement has a wrong exception table (the handler's stack is one too deep), and that code is not linked",
        _resume_functions_have_names,
    ),
    Behaviour(
        "first_compilation_in_threads",
        (2, 12),
        "2.10 and 2.11, built for CUDA, on a machine without a GPU: where several threads compile at the same time before anything was "
        "compiled, the process may crash, without depyf too (torch._C._ensureCUDADeviceGuardSet, which tracing calls first)",
        _resume_functions_have_names,  # there is nothing to see it by; this came with the same release
    ),
    Behaviour(
        "markers_while_profiling",
        (2, 15),
        "the markers for the profiler run in every call; since, transformed code asks first whether a profiler runs",
        _has("torch._dynamo.codegen", "_pregraph_marker_enter_template"),
    ),
)


def present(name: str) -> bool:
    """Whether the installed PyTorch has this behaviour."""
    return _by_name()[name].probe()


def why_not(name: str) -> str:
    """For a skipped test: the missing behaviour, the release it came with, and what is missing without it."""
    behaviour = _by_name()[name]
    return f"{name} came with PyTorch {'.'.join(map(str, behaviour.since))}; before, {behaviour.without}"


def _by_name() -> Dict[str, Behaviour]:
    return {behaviour.name: behaviour for behaviour in BEHAVIOURS}
