"""Calling transformed code directly: no guard is evaluated, and nothing of torch.compile's own wrapper runs.

The result of `direct_call` is a plain function with the signature of the original one. Code that contains nothing but
a call of its graph runs as it is; code with a graph break runs inside torch.compile's context, so that the functions it
resumes in are looked up, and compiled, as ever.
"""

from __future__ import annotations

import dis
import itertools
import weakref
from types import CodeType, ModuleType
from typing import Any, Callable, Dict

import torch._dynamo.utils

from depyf import compatibility
from depyf.optimization.target import Target

_serial = itertools.count()


def direct_call(target: Target, code: CodeType) -> Callable[..., Any]:
    """A function that runs one transformed code object of a target; the instance, if any, is its first argument."""
    missing = [name for name in graph_names(code) if name not in target.function.__globals__]
    if missing:
        raise RuntimeError(
            f"the compiled code of {code.co_name} is gone: PyTorch dropped its graph {missing[0]}, "
            "as torch._dynamo.reset() does; call the compiled function to compile it again"
        )
    quiet = _without_markers(code, target.function.__globals__)
    # torch.compile must not take the copy for something to compile, also after a reset forgot whose output it is
    compatibility.run_without_compiling(quiet)
    function = target.with_code(quiet)
    # The globals that the code loads live exactly as long as PyTorch's own code object does.
    function.__dict__["__depyf_transformed_code__"] = code
    if calls_only_its_graph(code) or target.context is None:
        return function
    wrapped: Callable[..., Any] = target.context(function)
    return wrapped


def graph_names(code: CodeType) -> Dict[str, None]:
    """The names of the graphs that a transformed code object calls, in order."""
    return {name: None for name in code.co_names if name.startswith("__compiled_fn_")}


def calls_only_its_graph(code: CodeType) -> bool:
    """Whether a transformed code object calls nothing but graphs and PyTorch's helpers: no graph break in it."""
    known = calls = 0
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            name = str(instruction.argval)
            if name.startswith("__resume_at"):
                return False
            known += name.startswith(("__compiled_fn_", "__import_"))
        elif instruction.opname.startswith("CALL") and "INTRINSIC" not in instruction.opname:
            calls += 1
    return calls <= known


def _without_markers(code: CodeType, scope: Dict[str, Any]) -> CodeType:
    """The same code with PyTorch's profiling markers made empty: they cost a quarter of a small graph's call.

    The module they are loaded from is loaded by a global name; the copy loads a module of ours by a name of ours,
    which goes when the copy goes.
    """
    if compatibility.MARKER_MODULE not in code.co_names or not set(compatibility.MARKERS) & set(code.co_names):
        return code.replace(co_name=code.co_name)
    quiet_name = f"__depyf_quiet_{next(_serial)}"
    names = tuple(quiet_name if name == compatibility.MARKER_MODULE else name for name in code.co_names)
    copy = code.replace(co_names=names)
    quiet = ModuleType(quiet_name)
    quiet.__dict__.update(torch._dynamo.utils.__dict__)
    for marker in compatibility.MARKERS:
        setattr(quiet, marker, bool)  # takes nothing or one thing, and does nothing
    scope[quiet_name] = quiet
    weakref.finalize(copy, scope.pop, quiet_name, None).atexit = False
    return copy
