"""What PyTorch tells while it compiles: the structured trace, the names of its stages, and graphs shown as text."""

from __future__ import annotations

import inspect
import logging
import sys
from types import CodeType, FunctionType
from typing import Any, Callable, Dict, List, Optional, Tuple

from depyf.compatibility.replacing import replace_for

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
# an artifact rather than an event of its own in some paths: under the first name since 2.10, under the second in 2.8 and 2.9
ARTIFACT_STAGES = {"inductor_post_grad_graph": "AFTER_POST_GRAD", "after_post_grad_graph": "AFTER_POST_GRAD"}
# the names under which PyTorch itself shows graphs through lazy_format_graph_code: all that 2.2 has
SHOWN_STAGES = {
    "Joint graph": "Joint_graph",
    "Forward graph": "Forward_graph",
    "Backward graph": "Backward_graph",
    "AFTER POST GRAD": "AFTER_POST_GRAD",
    "Compiled autograd graph": "Compiled_autograd_graph",
}


def version() -> str:
    import torch

    return str(torch.__version__)


def trace_logger() -> Optional[logging.Logger]:
    """The structured trace inside the process: 2.3 and later; 2.2 has none."""
    import torch._logging._internal as internal

    logger = getattr(internal, "trace_log", None)
    return logger if isinstance(logger, logging.Logger) else None


def keep_tracing_unseen(by: object) -> None:
    """Until `put_back(by)`, torch.compile does not look at the frames that writing the trace takes (2.7+).

    PyTorch compiles backward graphs inside of calls that it compiles, and tells of it there. What may be said of code is said of a
    copy, so that nothing is left behind; before 2.7 there is nothing to say it with.
    """
    from torch._C._dynamo import eval_frame

    tracer = getattr(sys.modules.get("torch._logging._internal"), "trace_structured", None)
    if not isinstance(tracer, FunctionType) or not tracing_can_be_unseen():
        return
    code, skip = tracer.__code__.replace(), eval_frame._FrameAction.SKIP
    eval_frame.set_code_exec_strategy(code, eval_frame._FrameExecStrategy(skip, skip))
    replace_for(by, tracer, "__code__", code)


def tracing_can_be_unseen() -> bool:
    """Whether PyTorch can be told, of a code object, not to look at its frames and all that they call (2.7+)."""
    from torch._C._dynamo import eval_frame

    return hasattr(eval_frame, "_FrameExecStrategy")


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


def keep_lines_of_guards(by: object) -> None:
    """Until `put_back(by)`, guards keep the user's line that they come from.

    2.2 and releases since 2.9 do so by themselves; those in between only while guards are logged.
    """
    from torch._guards import GuardsSet

    original = GuardsSet.add
    if "collect_debug_stack" not in inspect.signature(original).parameters or lines_of_guards_are_kept():
        return

    def add(guards: Any, guard: Any, *, collect_debug_stack: bool = True, skip: int = 0) -> None:
        original(guards, guard, collect_debug_stack=True, skip=skip + 1)

    replace_for(by, GuardsSet, "add", add)


def lines_of_guards_are_kept() -> bool:
    """Whether a guard that is added gets its line also where that is not asked for (2.9; 2.2 does not ask)."""
    from torch._guards import GuardsSet

    class Guard:  # newer releases read more of one
        def __getattr__(self, name: str) -> None:
            return None

    if "collect_debug_stack" not in inspect.signature(GuardsSet.add).parameters:
        return False
    guard = Guard()
    GuardsSet().add(guard, collect_debug_stack=False)
    return guard.user_stack is not None


def graph_formatters() -> List[Tuple[Dict[str, Any], str]]:
    """Every module namespace that holds `lazy_format_graph_code` now, as (namespace, name).

    It lives in torch._dynamo.utils (2.2, 2.3) or torch.fx._utils (2.4 and later), and is imported by name all over.
    """
    import torch._dynamo.utils as dynamo_utils

    return holders_of("lazy_format_graph_code", dynamo_utils.lazy_format_graph_code)


def detailed_tracers() -> List[Tuple[Dict[str, Any], str]]:
    """The namespaces through which torch.export comes to `dtrace_structured` (2.7); other callers are left alone."""
    places = []
    for module in ("torch._logging._internal", "torch._logging", "torch.export._trace", "torch.export._draft_export"):
        namespace = getattr(sys.modules.get(module), "__dict__", {})
        if callable(namespace.get("dtrace_structured")):
            places.append((namespace, "dtrace_structured"))
    return places


def holders_of(name: str, value: Any) -> List[Tuple[Dict[str, Any], str]]:
    """The namespaces of loaded modules that hold `value` under `name`. Looks into dicts only, so nothing is triggered."""
    places = []
    for module in list(sys.modules.values()):
        namespace = getattr(module, "__dict__", None)
        if isinstance(namespace, dict) and value is not None and namespace.get(name) is value:
            places.append((namespace, name))
    return places


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
