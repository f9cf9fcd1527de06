"""How PyTorch releases differ, as named behaviours; the only module of the inspector that knows where names live.

Each behaviour says from which release it holds. It is decided by what the installed PyTorch has rather than by its
version number where both are possible, so that nightly builds and back-ports come out right.
"""

from __future__ import annotations

import logging
import sys
from types import CodeType
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

# what PyTorch calls a stage in the trace -> what the dump directory calls it
TRACE_STAGES = {
    "dynamo_output_graph": "Captured_Graph",
    "aot_joint_graph": "Joint_graph",
    "aot_forward_graph": "Forward_graph",
    "aot_inference_graph": "Forward_graph",  # 2.6: an inference graph got a name of its own; before, aot_forward_graph
    "aot_backward_graph": "Backward_graph",
    "inductor_post_grad_graph": "AFTER_POST_GRAD",
    "compiled_autograd_graph": "Compiled_autograd_graph",
    "optimize_ddp_split_graph": "DDP_split_graph",
}
# 2.10: an artifact rather than an event of its own in some paths
ARTIFACT_STAGES = {"inductor_post_grad_graph": "AFTER_POST_GRAD"}
# the names under which PyTorch itself shows graphs through lazy_format_graph_code: all that 2.2 has
SHOWN_STAGES = {
    "Joint graph": "Joint_graph",
    "Forward graph": "Forward_graph",
    "Backward graph": "Backward_graph",
    "AFTER POST GRAD": "AFTER_POST_GRAD",
    "Compiled autograd graph": "Compiled_autograd_graph",
}


class Entry(NamedTuple):
    """A cache entry, read out while it was alive: the struct behind it may be freed by a reset."""

    compile_id: Optional[str]
    code: CodeType
    guards: Any


def version() -> str:
    import torch

    return str(torch.__version__)


def trace_logger() -> Optional[logging.Logger]:
    """The structured trace inside the process: 2.3 and later; 2.2 has none."""
    import torch._logging._internal as internal

    logger = getattr(internal, "trace_log", None)
    return logger if isinstance(logger, logging.Logger) else None


def interned_file(number: Any) -> str:
    """File names in trace metadata are numbers since 2.3; the table tells them to a handler that came late."""
    if isinstance(number, str):
        return number
    try:
        from torch._logging import structured

        for name, key in list(structured.INTERN_TABLE.items()):
            if key == number:
                return str(name)
    except (ImportError, AttributeError):
        pass
    return ""


def register_bytecode_hook(hook: Callable[[CodeType, CodeType], Optional[CodeType]]) -> Any:
    """2.2 and later; gives back a handle with `remove()`."""
    from torch._dynamo.convert_frame import register_bytecode_hook as register

    return register(hook)


def frame_needs_all_locals() -> bool:
    """Whether code that stands in for a frame's must have all its locals: seen in 2.2, gone in 2.13, taken as before 2.6."""
    import torch.compiler

    return not hasattr(torch.compiler, "set_stance")


def current_compile_id() -> Optional[str]:
    """The id of the compilation that this thread is in: `0/0`, or `!0/1/0` inside compiled autograd (2.6)."""
    from torch._guards import CompileContext

    current = CompileContext.current_compile_id()
    return None if current is None else str(current)


def trace_compile_id(metadata: Dict[str, Any]) -> Optional[str]:
    """The same id from the fields of a trace record."""
    frame = metadata.get("frame_id")
    autograd = metadata.get("compiled_autograd_id")
    if frame is None:
        return None if autograd is None else f"!{autograd}"
    name = f"{frame}/{metadata.get('frame_compile_id')}"
    return name if autograd is None else f"!{autograd}/{name}"


def graph_formatters() -> List[Tuple[Dict[str, Any], str]]:
    """Every module namespace that holds `lazy_format_graph_code` now, as (namespace, name).

    It lives in torch._dynamo.utils (2.2, 2.3) or torch.fx._utils (2.4 and later), and is imported by name all over.
    """
    import torch._dynamo.utils as dynamo_utils

    return holders_of("lazy_format_graph_code", dynamo_utils.lazy_format_graph_code)


def holders_of(name: str, value: Any) -> List[Tuple[Dict[str, Any], str]]:
    """The namespaces of loaded modules that hold `value` under `name`. Looks into dicts only, so nothing is triggered."""
    places = []
    for module in list(sys.modules.values()):
        namespace = getattr(module, "__dict__", None)
        if isinstance(namespace, dict) and value is not None and namespace.get(name) is value:
            places.append((namespace, name))
    return places


def cache_entries(code: CodeType) -> List[Entry]:
    """The cache entries of a code object, in the order in which PyTorch tries them.

    `guard_manager` holds the guards from 2.6 on, `check_fn` before; `compile_id` is there from 2.9 on, and before that
    the trace annotation ends with it (2.6).
    """
    from torch._dynamo.eval_frame import _debug_get_cache_entry_list

    entries = []
    for entry in _debug_get_cache_entry_list(code):
        guards = getattr(entry, "guard_manager", None)
        if guards is None:
            check = getattr(entry, "check_fn", None)
            guards = getattr(check, "guard_manager", None) or check
        compile_id = getattr(entry, "compile_id", None)
        if compile_id is None:
            compile_id = str(getattr(entry, "trace_annotation", "")).rpartition(": ")[2] or None
        entries.append(Entry(None if compile_id is None else str(compile_id), entry.code, guards))
    return entries


def guard_text(guards: Any) -> str:
    """The guards of an entry as PyTorch prints them: a tree (2.4 and later), or a list of expressions (before)."""
    if hasattr(guards, "root") or type(guards).__name__ == "RootGuardManager":
        return str(guards)
    parts = getattr(guards, "verbose_code_parts", None) or getattr(guards, "code_parts", None) or []
    return "\n".join(f"+- GUARD: {part}" for part in parts)


def guard_globals(guards: Any) -> Dict[str, Any]:
    """The globals of the guarded function, where its compiled graphs and resume functions are installed."""
    scope = getattr(guards, "global_scope", None) or {}
    inner = scope.get("G") if isinstance(scope, dict) else None
    return inner if isinstance(inner, dict) else (scope if isinstance(scope, dict) else {})


def resume_code(value: Any) -> Optional[CodeType]:
    """The code of a resume function, from what is installed under its name.

    That is a function, or, where the function has free variables, a function that makes it out of their cells (2.9), or the
    code itself (before).
    """
    if isinstance(value, CodeType):
        return value
    code = getattr(value, "__code__", None)
    if isinstance(code, CodeType) and "resume_in_" not in code.co_name:
        for cell in getattr(value, "__closure__", None) or ():
            try:
                if isinstance(cell.cell_contents, CodeType):
                    return cell.cell_contents
            except ValueError:  # an empty cell
                continue
    return code if isinstance(code, CodeType) else None


def transformed_codes() -> List[Tuple[CodeType, CodeType]]:
    """(original, transformed) for every transformed code object that is alive in this process."""
    from torch._dynamo import utils

    table = utils.orig_code_map
    pairs = []
    for key, original in list(table.values.items()):
        reference = table.refs.get(key)
        transformed = None if reference is None else reference()
        if isinstance(transformed, CodeType) and isinstance(original, CodeType):
            pairs.append((original, transformed))
    return pairs


def outer_frames(limit: int = 200) -> Iterator[Any]:
    """The frames of the running thread from the caller outwards."""
    frame = sys._getframe(1)
    count = 0
    while frame is not None and count < limit:
        yield frame
        frame = frame.f_back  # type: ignore[assignment]
        count += 1


def frame_globals() -> Dict[str, Any]:
    """Inside a bytecode hook: the globals of the function being compiled, a local of Dynamo's `_compile`."""
    for frame in outer_frames():
        if frame.f_code.co_name == "_compile" and frame.f_globals.get("__name__") == "torch._dynamo.convert_frame":
            found = frame.f_locals.get("globals")
            return found if isinstance(found, dict) else {}
    return {}


def frame_locals() -> Dict[str, Any]:
    """Inside a compilation: the arguments and variables of the frame being compiled."""
    for frame in outer_frames():
        if frame.f_globals.get("__name__") == "torch._dynamo.convert_frame" and frame.f_code.co_name in (
            "_compile",
            "compile_inner",
            "_compile_inner",
        ):
            for name in ("locals", "frame"):
                found = frame.f_locals.get(name)
                found = getattr(found, "f_locals", found)
                if isinstance(found, dict):
                    return found
    return {}


def graph_in_compilation() -> Tuple[Optional[str], Any]:
    """Inside a backend: (name, graph module) of the graph that Dynamo is having compiled, from its frames."""
    for frame in outer_frames():
        if frame.f_globals.get("__name__") != "torch._dynamo.output_graph":
            continue
        if frame.f_code.co_name.endswith("compile_and_call_fx_graph"):
            name = frame.f_locals.get("name")
            return (name if isinstance(name, str) else None), frame.f_locals.get("gm")
    return None, None


def readable(graph_module: Any) -> str:
    """A graph module as text with shapes, types and the user's lines; the two options came with 2.4."""
    try:
        return str(graph_module.print_readable(print_output=False, include_stride=True, include_device=True))
    except TypeError:
        return str(graph_module.print_readable(print_output=False))


def distributed_rank() -> Tuple[Optional[int], int]:
    """(rank, world size): from the process group if there is one, else from torchrun's environment."""
    import os

    try:
        import torch.distributed as distributed

        if distributed.is_available() and distributed.is_initialized():
            return int(distributed.get_rank()), int(distributed.get_world_size())
    except (ImportError, RuntimeError, AttributeError):
        pass
    try:
        return int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    except (KeyError, ValueError):
        return None, 1
