"""TorchCompileWrapperWithCustomDispatcher: a base class for callables that choose their compiled code themselves.

The contract is the one existing users rely on: `compiled_callable`, `compiled_codes`, `original_code_object`,
`bytecode_hook`, `dispatch_to_code` and a `__call__` that the subclass writes.
"""

from __future__ import annotations

import functools
import weakref
from abc import ABC, abstractmethod
from types import CodeType
from typing import Any, Callable, ContextManager, Dict, List, Optional, Tuple

from depyf import compatibility
from depyf.compatibility import register_bytecode_hook
from depyf.optimization.direct import direct_call, graph_names
from depyf.optimization.entries import entry_of_code, same_compilation, serving_entry
from depyf.optimization.routing import Dispatch, Route, route_of
from depyf.optimization.target import Target, target_of


class TorchCompileWrapperWithCustomDispatcher(ABC):
    """Holds a compiled callable, lists the code objects it was compiled to, and calls any of them without guards.

    A subclass compiles something, hands it to `__init__`, and writes `__call__`: it calls `self.compiled_callable`
    to have PyTorch look for a fitting entry (and compile when there is none), or calls the original function inside
    `with self.dispatch_to_code(index):` to run that compiled code at once. The second is a promise of the subclass:
    PyTorch's guards for that code would hold for these arguments.
    """

    compiled_callable: Callable[..., Any]
    compiled_codes: List[CodeType]
    original_code_object: CodeType
    # not for subclasses:
    _target: Target
    _route: Route
    _dispatches: Dict[int, Tuple[CodeType, Dispatch]]  # by the id of the code, which stands beside it

    def __init__(self, compiled_callable: Callable[..., Any]) -> None:
        target = target_of(compiled_callable)
        fields: Dict[str, Any] = {
            "original_code_object": target.code,
            "compiled_codes": [],
            "compiled_callable": _watching(self, compiled_callable),
            "_target": target,
            "_route": route_of(target),
            "_dispatches": {},
        }
        for name, value in fields.items():
            # Past __setattr__: in a subclass that is a torch.nn.Module too, these are no parts of the model.
            object.__setattr__(self, name, value)
        handle = register_bytecode_hook(_weak_hook(self))
        weakref.finalize(self, handle.remove).atexit = False

    @abstractmethod
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Choose between `self.compiled_callable` and `self.dispatch_to_code`."""

    def bytecode_hook(self, old_code: CodeType, new_code: CodeType) -> Optional[CodeType]:
        """PyTorch calls this for each compilation in the process; those of our own callable are kept."""
        if old_code is not self.original_code_object:
            return None
        compiling = compatibility.frame_being_compiled()
        if compiling is None or self._target.matches(*compiling):
            self._drop_codes_of_before_a_reset()
            self._keep(new_code)
        return None

    def dispatch_to_code(self, index: int) -> ContextManager[None]:
        """Inside the `with`, calls of the original function run compiled_codes[index], and evaluate no guard.

        It holds for the current thread or task, and for the instance that the callable is bound to.
        """
        try:
            code = self.compiled_codes[index]
        except (IndexError, TypeError):
            raise self._no_such_code(index) from None
        known = self._dispatches.get(id(code))
        if known is None:
            known = self._dispatches[id(code)] = (code, self._dispatch(code))
        return known[1]

    def _dispatch(self, code: CodeType) -> Dispatch:
        entry = entry_of_code(self._target, code)
        call = direct_call(self._target, code if entry is None else entry.code)
        return Dispatch(self._route, self._target.instance, call)

    def _keep(self, code: CodeType) -> None:
        if not any(same_compilation(code, known) for known in self.compiled_codes):
            self.compiled_codes.append(code)

    def _drop_codes_of_before_a_reset(self) -> None:
        """torch._dynamo.reset() empties the cache: what was compiled before it no longer counts."""
        if self.compiled_codes and not any(entry_of_code(self._target, code) for code in self.compiled_codes):
            self.compiled_codes.clear()
            self._dispatches.clear()

    def _no_such_code(self, index: object) -> Exception:
        name = self.original_code_object.co_name
        if not isinstance(index, int):
            return TypeError(f"dispatch_to_code takes the number of a compiled code, not {index!r}")
        if not self.compiled_codes:
            return IndexError(
                f"there is no compiled code {index} of {name}: nothing is compiled yet; "
                "call self.compiled_callable(...) first"
            )
        graphs = (", ".join(graph_names(code)) or "no graph" for code in self.compiled_codes)
        listing = "; ".join(f"{number} calls {names}" for number, names in enumerate(graphs))
        return IndexError(f"there is no compiled code {index} of {name}; there is: {listing}")


def _weak_hook(wrapper: TorchCompileWrapperWithCustomDispatcher) -> Callable[[CodeType, CodeType], Optional[CodeType]]:
    """PyTorch keeps its hooks alive for ever: ours must not keep the wrapper alive."""
    reference = weakref.ref(wrapper)

    def hook(old_code: CodeType, new_code: CodeType) -> Optional[CodeType]:
        alive = reference()
        return None if alive is None else alive.bytecode_hook(old_code, new_code)

    return hook


def _watching(
    wrapper: TorchCompileWrapperWithCustomDispatcher, compiled_callable: Callable[..., Any]
) -> Callable[..., Any]:
    """The compiled callable until its first code is known; then the wrapper has the callable itself again.

    A call may be served by an entry that was compiled before, for another wrapper of the same function, so that no
    hook tells. Until we have a code of our own we look which entry accepts the call.
    """
    if hasattr(compiled_callable, "_orig_mod"):
        return compiled_callable  # a module has more uses than being called
    reference = weakref.ref(wrapper)

    @functools.wraps(compiled_callable, updated=())
    def watched(*args: Any, **kwargs: Any) -> Any:
        alive = reference()
        if alive is None:
            return compiled_callable(*args, **kwargs)
        serving = None if alive.compiled_codes else _serving_code(alive._target, args, kwargs)
        result = compiled_callable(*args, **kwargs)
        if serving is not None and not alive.compiled_codes:
            alive._keep(serving)
        if alive.compiled_codes:
            object.__setattr__(alive, "compiled_callable", compiled_callable)
        return result

    return watched


def _serving_code(target: Target, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Optional[CodeType]:
    if not compatibility.live_entries(target.code):
        return None
    try:
        frame_locals = target.frame_locals(args, kwargs)
    except TypeError:  # the arguments do not fit the signature: the call itself will say so
        return None
    entry = serving_entry(target, frame_locals)
    return None if entry is None else entry.code
