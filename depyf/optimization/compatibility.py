"""What differs between PyTorch releases for the code that calls compiled code: one name for each behaviour.

Each function says which releases it speaks for, and accepts any release from 2.2 on. What recording needs as well
stands in the inspector's compatibility module and is used from there.
"""

from __future__ import annotations

from contextlib import nullcontext
from types import CodeType, FunctionType
from typing import Any, Callable, ContextManager, Dict, List, Optional, Tuple

import torch
from torch._dynamo import eval_frame

from depyf.inspector.compatibility import outer_frames

# The names of PyTorch's own markers around a graph's arguments (2.7+): they show in a profile as 'Pregraph bytecode'.
MARKER_MODULE = "__import_torch_dot__dynamo_dot_utils"
MARKERS = ("record_pregraph_bytecode_enter", "record_pregraph_bytecode_exit")


def cache_entries(code: CodeType) -> List[Any]:
    """The cache entries of a code object, the one that is tried first in front. 2.2+."""
    return list(eval_frame._debug_get_cache_entry_list(code))


def guards_of(entry: Any) -> Any:
    """What evaluates the guards of an entry: a guard manager (2.6+), before that a function over the frame's locals."""
    manager = getattr(entry, "guard_manager", None)
    return entry.check_fn if manager is None else manager


def guards_hold(entry: Any, frame_locals: Dict[str, Any]) -> bool:
    """Whether the guards of an entry accept these locals. Evaluates them, and compiles nothing."""
    return bool(guard_check(entry)(frame_locals))


def guard_check(entry: Any) -> Callable[[Dict[str, Any]], Any]:
    """The function that evaluates the guards of an entry on a frame's locals."""
    guards = guards_of(entry)
    root = guard_tree(entry)
    check: Callable[[Dict[str, Any]], Any] = getattr(guards if root is None else root, "check", guards)
    return check


def deciding_guard_check(entry: Any) -> Callable[[Dict[str, Any]], Any]:
    """The function that evaluates those guards of an entry that tell it from the others: what is left of them inside
    guards_switched_off() (2.6+; before, all of them)."""
    check = getattr(getattr(guards_of(entry), "diff_guard_root", None), "check", None)
    return guard_check(entry) if check is None else check


def failing_guard(entry: Any, frame_locals: Dict[str, Any]) -> Optional[str]:
    """The guard of an entry that rejects these locals, as PyTorch words it; None when all hold.

    2.4+: the guards say it themselves; before, they are a function that keeps its conditions as texts.
    """
    guards = guards_of(entry)
    verbose = getattr(guards, "check_verbose", None)
    if verbose is None:
        return None if guards_hold(entry, frame_locals) else _failing_text(guards, frame_locals)
    info = verbose(frame_locals)
    if info.result:
        return None
    parts = [str(part).strip() for part in info.verbose_code_parts]
    return "; ".join(parts) or "a guard without a text"


def _failing_text(guards: Any, frame_locals: Dict[str, Any]) -> str:
    scope = {**getattr(guards, "closure_vars", {}), "L": frame_locals}
    for text in _texts(guards):
        try:
            if not eval(text, getattr(guards, "global_scope", {}), scope):
                return str(text).strip()
        except Exception:  # a text that is for people only
            continue
    return "a guard (this PyTorch release does not say which)"


def as_in_a_call(context: Any) -> ContextManager[Any]:
    """Where guards are to be evaluated outside of a call of what torch.compile made.

    Before 2.5 one of them asks which backend the running call belongs to; since then PyTorch compares backends itself.
    """
    wrapper = getattr(eval_frame, "backend_cache_wrapper", None)
    callback = getattr(context, "callback", None)
    return nullcontext() if wrapper is None or callback is None else wrapper(callback)


def entry_name(entry: Any) -> str:
    """The compile id of an entry, such as [0/1]; empty before 2.9, which do not keep it."""
    compile_id = getattr(entry, "compile_id", None)
    return "" if compile_id is None else f"[{compile_id}]"


def context_of(compiled: Callable[..., Any]) -> Any:
    """The object torch.compile made for a compiled function: calling it wraps another function in the same way.

    It stands in the closure of the wrapper as `self` in every release so far, and on a compiled module as dynamo_ctx.
    """
    context = getattr(compiled, "dynamo_ctx", None)
    if context is not None:
        return context
    function = getattr(compiled, "__func__", compiled)
    closure = dict(zip(function.__code__.co_freevars, function.__closure__ or ())) if _is_function(function) else {}
    cell = closure.get("self")
    return None if cell is None else cell.cell_contents


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


def innermost(compiled: Callable[..., Any]) -> Callable[..., Any]:
    """The callable that torch.compile was given."""
    return eval_frame.innermost_fn(compiled)  # type: ignore[no-any-return]


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


def run_without_compiling(code: CodeType) -> None:
    """Tell PyTorch never to compile frames of this code object itself; frames that it calls still are."""
    eval_frame.skip_code(code)


def _is_function(obj: object) -> bool:
    return isinstance(obj, FunctionType)


def guard_tree(entry: Any) -> Any:
    """The root of the tree of guard managers of an entry (2.6+), or None."""
    root = getattr(guards_of(entry), "root", None)
    return root if hasattr(root, "clone_manager") and hasattr(root, "get_leaf_guards") else None


def guards_switched_off() -> ContextManager[Any]:
    """Inside it, torch.compile evaluates only the guards that tell its entries apart (2.6+; before, nothing changes)."""
    set_stance = getattr(torch.compiler, "set_stance", None)
    if set_stance is None:
        return nullcontext()
    return set_stance(skip_guard_eval_unsafe=True)  # type: ignore[no-any-return]


def guard_texts(entry: Any) -> List[str]:
    """The guards of an entry as texts, where they are one function rather than a tree (before 2.6)."""
    return _texts(guards_of(entry))


def _texts(guards: Any) -> List[str]:
    texts = getattr(guards, "verbose_code_parts", None) or getattr(guards, "code_parts", None) or []
    return [str(text) for text in texts]
