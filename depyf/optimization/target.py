"""What a compiled callable runs: the Python function behind it, and the arguments of a call as that function's locals.

May assume nothing about the signature; knows nothing about guards. `Target.matches` is what tells the compilation of
one instance, closure or backend from another of the same code object.
"""

from __future__ import annotations

import inspect
from collections import OrderedDict
from dataclasses import dataclass
from types import CodeType, FunctionType, MethodType
from typing import Any, Callable, Dict, Optional, Tuple

from depyf import compatibility


@dataclass(frozen=True)
class Target:
    """The function that frames are made of when a compiled callable is called."""

    compiled: Callable[..., Any]
    function: FunctionType
    instance: Optional[object]  # bound as the first argument, when there is one
    code: CodeType
    context: Any  # what torch.compile made; None where it cannot be found
    signature: inspect.Signature

    def matches(self, frame_locals: Dict[str, Any], backend: Any) -> bool:
        """Whether a frame with these locals, compiled by this backend, is a call of this very callable."""
        code = self.code
        if self.instance is not None and frame_locals.get(code.co_varnames[0]) is not self.instance:
            return False
        for name, value in self.closure_values().items():
            if name in frame_locals and frame_locals[name] is not value:
                return False
        return self.same_backend(backend)

    def same_backend(self, backend: Any) -> bool:
        """Whether PyTorch would take what this backend compiled for ours."""
        callback = getattr(self.context, "callback", None)
        if callback is None or backend is None:
            return True
        ours = compatibility.backend_of(callback)
        return ours is backend or bool(ours == backend)

    def frame_locals(self, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Dict[str, Any]:
        """The locals a call with these arguments starts with, closure included: what guards are evaluated on."""
        if self.instance is not None:
            args = (self.instance, *args)
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return {**bound.arguments, **self.closure_values()}

    def closure_values(self) -> Dict[str, Any]:
        """The function's free variables and what they hold now."""
        return {name: _contents(cell) for name, cell in zip(self.code.co_freevars, self.function.__closure__ or ())}

    def arguments(self, frame_locals: Dict[str, Any]) -> Tuple[Tuple[Any, ...], Dict[str, Any]]:
        """The way back from locals: the arguments of a call of the compiled callable."""
        bound = inspect.BoundArguments(
            self.signature, OrderedDict((name, frame_locals[name]) for name in self.signature.parameters)
        )
        args = bound.args if self.instance is None else bound.args[1:]
        return args, bound.kwargs

    def with_code(self, code: CodeType) -> FunctionType:
        """The function again, its globals, defaults and closure shared, with another code object."""
        original = self.function
        copy = FunctionType(code, original.__globals__, original.__name__, original.__defaults__, original.__closure__)
        copy.__kwdefaults__ = original.__kwdefaults__
        copy.__qualname__ = original.__qualname__
        return copy

    def bind(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function of ours bound to the instance, when there is one."""
        return function if self.instance is None else MethodType(function, self.instance)

    def first_argument_is_an_instance(self) -> bool:
        """Whether the callable is a method seen from its class, called with a different first argument each time."""
        owner = self.function.__qualname__.rpartition(".")[0]
        return self.instance is None and self.code.co_argcount > 0 and bool(owner) and not owner.endswith("<locals>")


def target_of(compiled: Callable[..., Any]) -> Target:
    """Find what a compiled callable runs, or say why it cannot be found."""
    inner = compatibility.innermost(compiled)
    if hasattr(compiled, "_orig_mod"):
        inner = _target_of_module(compiled)
    elif inner is compiled and isinstance(compiled, MethodType):
        # a method whose function was compiled in the class body
        inner = MethodType(compatibility.innermost(compiled.__func__), compiled.__self__)
    if inner is compiled or (
        isinstance(compiled, MethodType) and getattr(inner, "__func__", None) is compiled.__func__
    ):
        raise TypeError(f"{_name(compiled)} is not compiled: give what torch.compile(...) returned")
    instance = getattr(inner, "__self__", None) if isinstance(inner, MethodType) else None
    function = inner.__func__ if isinstance(inner, MethodType) else inner
    if not isinstance(function, FunctionType):
        raise TypeError(
            f"{_name(compiled)} runs {_name(function)}, a {type(function).__name__} without a code object of its own: "
            "compile a Python function, a method or a module"
        )
    signature = inspect.signature(function, follow_wrapped=False)
    return Target(compiled, function, instance, function.__code__, compatibility.context_of(compiled), signature)


def _target_of_module(compiled: Any) -> Callable[..., Any]:
    """A compiled module runs its module's forward, unless PyTorch put a function of its own around the call."""
    inner = compatibility.innermost(compiled.forward)
    if isinstance(inner, FunctionType):
        return inner
    forward: Callable[..., Any] = compiled._orig_mod.forward
    return forward


def _contents(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # an empty cell: the variable is not assigned yet
        return None


def _name(obj: object) -> str:
    return getattr(obj, "__qualname__", None) or type(obj).__qualname__
