"""skip_guards: after the first call, a compiled function runs its compiled code without evaluating the guards.

For the common case where a program calls a compiled function again and again with inputs of the same kind. What the
user promises by it stands in the docstring of `skip_guards`, and `check=` finds out when the promise is broken.
"""

from __future__ import annotations

import functools
import warnings
import weakref
from types import CodeType
from typing import Any, Callable, Dict, Hashable, List, Optional, Tuple, TypeVar, Union, overload

from depyf import compatibility
from depyf.compatibility import register_bytecode_hook
from depyf.optimization.direct import direct_call
from depyf.optimization.entries import entries_of, entry_of_code, serving_entry
from depyf.optimization.target import Target, target_of

C = TypeVar("C", bound=Callable[..., Any])
When = Callable[..., Union[bool, Hashable]]

# A function that PyTorch never compiles (a skipped frame, the recompile limit) is not asked about for ever.
_FRUITLESS_CALLS = 3


class GuardPromiseBroken(UserWarning):
    """A call went past guards that do not hold for it."""


@overload
def skip_guards(fn: C, *, when: Optional[When] = None, check: int = 0) -> C: ...


@overload
def skip_guards(fn: None = None, *, when: Optional[When] = None, check: int = 0) -> Callable[[C], C]: ...


def skip_guards(fn: Optional[Any] = None, *, when: Optional[When] = None, check: int = 0) -> Any:
    """Call a compiled function's code directly, without evaluating its guards.

    Used as `fast = skip_guards(torch.compile(f))`, or as a decorator above `@torch.compile`. The first call goes the
    ordinary way, through torch.compile; the entry that serves it is remembered, and later calls run that entry's code.

    `when(*args, **kwargs)` tells calls apart. It gives a key: calls with equal keys share an entry, and the first call
    with a new key goes the ordinary way again. A call for which it gives None or False goes the ordinary way each time.
    (So `when=lambda x: x.shape` keeps an entry for each shape, and `when=lambda x: x.is_contiguous()` one for the
    contiguous inputs, while the others are guarded.) Without `when` all calls have the same key; for a method seen from
    its class, calls on the same instance have.

    **What you promise**: for every call that skips them, the guards of the remembered entry would hold. That is, since
    the first call with the same key nothing has changed that PyTorch specialised the code on: the types, dtypes,
    devices, strides, and, unless dynamic, shapes of the inputs; whether they require gradients; plain Python values
    among the arguments, in attributes, globals and closures; the module's structure, training mode and hooks; and the
    global state: grad mode, autocast, inference mode, default device, torch-function modes, determinism. When the
    promise is broken, results are wrong or the program crashes. Changing the values inside tensors is always fine.
    Stances set with torch.compiler.set_stance are not looked at by calls that skip.

    `check=N` evaluates the guards on every Nth call all the same. When they do not hold it warns with
    GuardPromiseBroken, which names the guard, and this call goes the ordinary way, so its result is right.

    After a graph break the remaining parts of the function are compiled functions of their own: their guards are
    evaluated as ever. The returned function has `forget_entries()`, which makes the next call go the ordinary way.
    """
    if fn is None:
        return functools.partial(skip_guards, when=when, check=check)
    if check < 0:
        raise ValueError(
            f"check={check}: give the number of calls between two evaluations of the guards, or 0 for none"
        )
    return _Skipper(target_of(fn), when, check).function()


class _Skipper:
    """The state behind one function that skips guards."""

    def __init__(self, target: Target, when: Optional[When], check: int) -> None:
        _refuse_hooks(target)
        self._target = target
        self._when = when
        self._check = check
        self._left = check  # calls until the next check
        self._calls: Dict[Hashable, Callable[..., Any]] = {}
        self._codes: Dict[Hashable, CodeType] = {}
        self._fruitless = 0

    def function(self) -> Callable[..., Any]:
        """The function that the user calls: the shortest one that does what was asked for."""
        keyed = self._when is not None or self._target.first_argument_is_an_instance()
        call = self._keyed() if keyed else self._unkeyed()
        compiled = self._target.compiled
        # With a function's attributes come those by which PyTorch, compiling a caller, finds the original to inline.
        # A compiled module's attributes are the model itself, and no business of a function.
        functools.update_wrapper(call, compiled, updated=() if hasattr(compiled, "_orig_mod") else ("__dict__",))
        call.forget_entries = self.forget_entries  # type: ignore[attr-defined]
        return call

    def forget_entries(self) -> None:
        """Make the next call of each kind go through torch.compile again."""
        self._calls.clear()
        self._codes.clear()
        self._fruitless = 0

    def _unkeyed(self) -> Callable[..., Any]:
        calls, learn = self._calls, self._learn
        if self._check:
            return self._checked_unkeyed()

        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                run = calls[None]
            except KeyError:
                return learn(None, args, kwargs)
            return run(*args, **kwargs)

        return call

    def _checked_unkeyed(self) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            run = self._calls.get(None)
            if run is None:
                return self._learn(None, args, kwargs)
            self._left -= 1
            if self._left <= 0:
                return self._checked(None, run, args, kwargs)
            return run(*args, **kwargs)

        return call

    def _keyed(self) -> Callable[..., Any]:
        when = self._when or self._instance_key

        def call(*args: Any, **kwargs: Any) -> Any:
            key = when(*args, **kwargs)
            if key is None or key is False:
                return self._target.compiled(*args, **kwargs)
            run = self._calls.get(key)
            if run is None:
                return self._learn(key, args, kwargs)
            if self._check:
                self._left -= 1
                if self._left <= 0:
                    return self._checked(key, run, args, kwargs)
            return run(*args, **kwargs)

        return call

    def _instance_key(self, *args: Any, **_kwargs: Any) -> Hashable:
        """Methods: an entry for each instance, forgotten with it, so that another one at its address learns anew."""
        if not args:
            return None
        key = id(args[0])
        if key not in self._calls:
            try:
                weakref.finalize(args[0], self._forget, key).atexit = False
            except TypeError:
                return None  # no weak references to it: we could not tell a successor at the same address
        return key

    def _forget(self, key: Hashable) -> None:
        self._calls.pop(key, None)
        self._codes.pop(key, None)

    def _learn(self, key: Hashable, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Any:
        """Go the ordinary way once, and remember the code that served the call."""
        target = self._target
        if self._fruitless >= _FRUITLESS_CALLS:
            return target.compiled(*args, **kwargs)
        code = self._code_that_accepts(args, kwargs)
        result, compiled = self._call_and_watch(args, kwargs)
        code = compiled or code
        if code is None:
            self._fruitless += 1
            return result
        self._fruitless = 0
        entry = entry_of_code(target, code)
        final: CodeType = code if entry is None else entry.code
        self._codes[key] = final
        self._calls[key] = target.bind(direct_call(target, final))
        return result

    def _code_that_accepts(self, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Optional[CodeType]:
        try:
            frame_locals = self._target.frame_locals(args, kwargs)
        except TypeError:  # the arguments do not fit the signature: the call itself will say so
            return None
        entry = serving_entry(self._target, frame_locals)
        return None if entry is None else entry.code

    def _call_and_watch(self, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Tuple[Any, Optional[CodeType]]:
        """Call through torch.compile; the code that it compiled for this call, when it did."""
        seen: List[CodeType] = []
        target = self._target

        def hook(old_code: CodeType, new_code: CodeType) -> None:
            if old_code is target.code:
                compiling = compatibility.frame_being_compiled()
                if compiling is None or target.matches(*compiling):
                    seen.append(new_code)

        handle = register_bytecode_hook(hook)
        try:
            result = target.compiled(*args, **kwargs)
        finally:
            handle.remove()
        return result, (seen[0] if seen else None)

    def _checked(self, key: Hashable, run: Callable[..., Any], args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Any:
        """The Nth call: skip only if the guards hold, and complain otherwise."""
        self._left = self._check
        target = self._target
        entry = entry_of_code(target, self._codes[key])
        if entry is None:  # reset or invalidated: the ordinary way, and learn anew
            self._forget(key)
            return self._learn(key, args, kwargs)
        with compatibility.as_in_a_call(target.context):
            failing = compatibility.failing_guard(entry, target.frame_locals(args, kwargs))
        if failing is None:
            return run(*args, **kwargs)
        others = sum(1 for _ in entries_of(target)) - 1
        warnings.warn(
            f"skip_guards({target.function.__qualname__}): the guards of the entry {compatibility.entry_name(entry)} that "
            f"calls are sent to do not hold for this call: {failing}. This call goes through torch.compile; the calls "
            f"since the last check did not. Tell such calls apart with when=... ({others} other entries exist).",
            GuardPromiseBroken,
            stacklevel=3,
        )
        return target.compiled(*args, **kwargs)


def _refuse_hooks(target: Target) -> None:
    """A compiled module runs its forward hooks outside the compiled code: skipping would silently leave them out."""
    module = getattr(target.compiled, "_orig_mod", None)
    if module is not None and (module._forward_hooks or module._forward_pre_hooks):
        raise ValueError(
            f"skip_guards: {type(module).__qualname__} has forward hooks, which would not run; "
            "compile its forward (torch.compile(module.forward)) to leave them out on purpose"
        )
