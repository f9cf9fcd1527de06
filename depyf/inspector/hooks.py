"""The only place that touches PyTorch's internals: bytecode hook, trace handler, two patched functions. All guarded.

Whatever a receiver raises is noted and the user's compilation goes on. Everything installed here can be taken out again, in
any order, twice, and from inside a compilation.
"""

from __future__ import annotations

import functools
import logging
import os
import sys
import threading
from types import CodeType
from typing import Any, Callable, Dict, List, Optional, Tuple

from depyf import compatibility


class Receiver:
    """What the hooks call. A recorder overrides all of it; each call may raise without harm."""

    process: int

    def bytecode(self, original: CodeType, transformed: CodeType) -> Optional[CodeType]:
        raise NotImplementedError

    def trace(self, metadata: Dict[str, Any], payload: Optional[str]) -> None:
        raise NotImplementedError

    def graph_shown(self, name: str, graph_module: Any, by: str) -> None:
        raise NotImplementedError

    def exported(self, program: Callable[[], object]) -> None:
        raise NotImplementedError

    def failed(self, where: str, error: BaseException) -> None:
        raise NotImplementedError

    def forked(self) -> None:
        """The process is a fork of the one that installed the hooks."""
        raise NotImplementedError


class Hooks:
    """The hooks of one receiver."""

    def __init__(self, receiver: Receiver) -> None:
        self._receiver = receiver
        self._undo: List[Tuple[str, Callable[[], None]]] = []

    def install(self) -> None:
        """Install what this PyTorch has; what cannot be installed is noted, and the rest works."""
        for name in ("bytecode_hook", "trace_handler", "graph_formatter", "export_listener", "guard_listener", "quiet_trace"):
            try:
                self._undo.append((name, getattr(self, f"_install_{name}")()))
            except Exception as error:
                self._receiver.failed(f"installing the {name.replace('_', ' ')}", error)

    def uninstall(self) -> None:
        """Undo all of it; a second call finds nothing left to do."""
        while self._undo:
            name, undo = self._undo.pop()
            try:
                undo()
            except Exception as error:
                self._receiver.failed(f"removing the {name.replace('_', ' ')}", error)

    def _install_bytecode_hook(self) -> Callable[[], None]:
        receiver, deliver = self._receiver, compatibility.unseen(guarded)

        def depyf_bytecode_hook(original: CodeType, transformed: CodeType) -> Optional[CodeType]:
            return deliver(receiver, "bytecode", original, transformed)  # type: ignore[no-any-return]

        handle = compatibility.register_bytecode_hook(depyf_bytecode_hook)
        return handle.remove  # type: ignore[no-any-return]

    def _install_trace_handler(self) -> Callable[[], None]:
        logger = compatibility.trace_logger()
        if logger is None:
            return lambda: None
        handler = _TraceHandler(self._receiver)
        # in front: PyTorch's own lazy handler takes itself out while the list is iterated, and the next would be skipped
        logger.handlers.insert(0, handler)

        def remove() -> None:
            logger.removeHandler(handler)
            handler.close()

        return remove

    def _install_graph_formatter(self) -> Callable[[], None]:
        return _formatter.add(self._receiver)

    def _install_export_listener(self) -> Callable[[], None]:
        return _exports.add(self._receiver)

    def _install_guard_listener(self) -> Callable[[], None]:
        by = object()
        compatibility.keep_lines_of_guards(by)
        return lambda: compatibility.put_back(by)

    def _install_quiet_trace(self) -> Callable[[], None]:
        by = object()
        compatibility.keep_tracing_unseen(by)
        return lambda: compatibility.put_back(by)


def guarded(receiver: Receiver, call: str, *args: Any) -> Any:
    try:
        if receiver.process != os.getpid():
            receiver.forked()
        return getattr(receiver, call)(*args)
    except Exception as error:
        try:
            receiver.failed(call, error)
        except Exception:  # even the note could not be made
            pass
        return None


class _TraceHandler(logging.Handler):
    """Hands trace records on. A handler that raises would end the compilation."""

    def __init__(self, receiver: Receiver) -> None:
        super().__init__()
        self._receiver = receiver
        self._deliver = compatibility.unseen(guarded)

    def handle(self, record: logging.LogRecord) -> bool:  # type: ignore[override,unused-ignore]
        metadata = getattr(record, "metadata", None)
        if isinstance(metadata, dict) and "chromium_event" not in metadata:
            self._deliver(self._receiver, "trace", metadata, getattr(record, "payload", None))
        return True


Wrapper = Callable[[Any, List[Receiver]], Callable[..., Any]]
Places = Callable[[], List[Tuple[Dict[str, Any], str]]]


class _Patch:
    """A function of PyTorch with ours in front of it, in all namespaces that hold it.

    Shared by all receivers, so that they can leave in any order: ours goes in with the first and out with the last.
    """

    def __init__(self, places: Places, make: Wrapper) -> None:
        self._lock = threading.RLock()
        self._receivers: List[Receiver] = []
        self._find, self._make = places, make
        self._places: List[Tuple[Dict[str, Any], str]] = []
        self._original: Any = None
        self._wrapper: Any = None

    def add(self, receiver: Receiver) -> Callable[[], None]:
        with self._lock:
            if not self._receivers:
                self._patch()
            self._receivers.append(receiver)

        def remove() -> None:
            with self._lock:
                if receiver in self._receivers:
                    self._receivers.remove(receiver)
                    if not self._receivers:
                        self._restore()

        return remove

    def _patch(self) -> None:
        places = self._find()
        if not places:
            return
        namespace, name = places[0]
        self._original = namespace[name]
        wrapper = self._make(self._original, self._receivers)
        # itself it must not be compiled either; PyTorch's own function is exempt by its file
        compatibility.run_without_compiling(wrapper.__code__)
        self._wrapper = functools.wraps(self._original)(wrapper)
        self._places = places
        for namespace, name in places:
            namespace[name] = self._wrapper

    def _restore(self) -> None:
        wrapper, original = self._wrapper, self._original
        self._wrapper = self._original = None
        if not self._places:
            return
        places = self._places + compatibility.holders_of(self._places[0][1], wrapper)  # those imported since
        self._places = []
        for namespace, name in places:
            if namespace.get(name) is wrapper:
                namespace[name] = original


def _showing_graphs(original: Any, receivers: List[Receiver]) -> Callable[..., Any]:
    """`lazy_format_graph_code`, which clients call only so that the graph is dumped."""
    deliver = compatibility.unseen(guarded)

    def lazy_format_graph_code(name: str, gm: Any, *args: Any, **kwargs: Any) -> Any:
        caller = sys._getframe(1).f_globals.get("__name__", "")
        for receiver in list(receivers):
            deliver(receiver, "graph_shown", name, gm, str(caller))
        return original(name, gm, *args, **kwargs)

    return lazy_format_graph_code


def _showing_exports(original: Any, receivers: List[Receiver]) -> Callable[..., Any]:
    """`dtrace_structured`, to which torch.export shows its program; the trace gets it only where all else is traced too."""
    deliver = compatibility.unseen(guarded)

    def dtrace_structured(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "exported_program" and "payload_fn" in kwargs:
            for receiver in list(receivers):
                deliver(receiver, "exported", kwargs["payload_fn"])
        return original(name, *args, **kwargs)

    return dtrace_structured


_formatter = _Patch(compatibility.graph_formatters, _showing_graphs)
_exports = _Patch(compatibility.detailed_tracers, _showing_exports)
