"""The frames of PyTorch's own compiler, read where it hands over less than is needed: their names and their locals."""

from __future__ import annotations

import inspect
import os
import sys
from types import CodeType, FunctionType
from typing import Any, Dict, Iterator, NamedTuple, Optional, Tuple


class Call(NamedTuple):
    """A frame that is about to be: its code, its variables as they will be, and the object that torch.compile made."""

    f_code: CodeType
    f_locals: Dict[str, Any]
    context: Any


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


def frame_being_compiled() -> Optional[Tuple[Dict[str, Any], Any]]:
    """For use in a bytecode hook: the locals of the frame being compiled, and the backend that compiles it.

    Both are arguments of convert_frame._compile, which stands on the stack above the hook in every release so far.
    """
    for frame in outer_frames():
        if frame.f_code.co_name == "_compile" and frame.f_globals.get("__name__") == "torch._dynamo.convert_frame":
            frame_locals = frame.f_locals.get("locals")
            if frame_locals is None:
                return None
            return dict(frame_locals), backend_of(frame.f_locals.get("compiler_fn"))
    return None


def backend_of(callback: Any) -> Any:
    """The backend inside a chain of PyTorch's callbacks (_torchdynamo_orig_backend since 2.6, _orig_callable before)."""
    for _ in range(8):
        inner = getattr(callback, "_torchdynamo_orig_backend", None) or getattr(
            callback, "_torchdynamo_orig_callable", None
        )
        if inner is None:
            break
        callback = inner
    return callback


def called_by_torch_compile() -> bool:
    """In a callback for a frame: whether it is the function that torch.compile was given, or a module's forward.

    The frame itself is not on the stack yet, so the callback's caller is what called the frame.
    """
    caller = sys._getframe(2)
    return caller.f_globals.get("__name__", "") in ("torch._dynamo.eval_frame", "torch.nn.modules.module")


def call_of_compiled() -> Optional[Call]:
    """Inside the wrapper that torch.compile made, before it calls: what it is about to call. None if that is not known.

    The wrapper is `_fn` in eval_frame, with `fn`, `args` and `kwargs`, in the releases that this is needed for (2.2 to 2.6).
    """
    for frame in outer_frames(8):
        if frame.f_code.co_name == "_fn" and frame.f_globals.get("__name__") == "torch._dynamo.eval_frame":
            known = frame.f_locals
            return _call_of(known.get("fn"), known.get("args", ()), known.get("kwargs", {}), known.get("self"))
    return None


def _call_of(function: Any, args: Tuple[Any, ...], named: Dict[str, Any], context: Any) -> Optional[Call]:
    import torch

    inside_torch = os.path.dirname(torch.__file__) + os.sep
    while hasattr(function, "__wrapped__") and _file_of(function).startswith(inside_torch):
        function = function.__wrapped__
    owner = getattr(function, "__self__", None)
    if isinstance(owner, torch.nn.Module) and _file_of(function).startswith(inside_torch):
        function = owner.forward  # what a module's __call__ comes to
    plain = getattr(function, "__func__", function)
    if not isinstance(plain, FunctionType) or _file_of(function).startswith(inside_torch):
        return None
    try:
        bound = inspect.signature(plain).bind(*([owner] if plain is not function else []), *args, **named)
    except TypeError:  # the call will say it better
        return None
    bound.apply_defaults()
    cells = zip(plain.__code__.co_freevars, plain.__closure__ or ())
    free = {name: cell.cell_contents for name, cell in cells if _is_full(cell)}
    return Call(plain.__code__, {**free, **bound.arguments}, context)


def _file_of(function: Any) -> str:
    return str(getattr(getattr(function, "__code__", None), "co_filename", ""))


def _is_full(cell: Any) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False
