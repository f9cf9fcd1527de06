"""How compiled code is run: what torch.compile made, frames that no entry fits, graphs as code, Inductor's callables."""

from __future__ import annotations

from types import CodeType, FunctionType
from typing import Any, Callable, List

from depyf.compatibility.entries import as_in_a_call, guards_hold, live_entries
from depyf.compatibility.frames import call_of_compiled, called_by_torch_compile
from depyf.compatibility.replacing import put_back, replace_for

Miss = Callable[[Any, bool], None]  # told of a frame that no entry fits, and whether torch.compile itself called it

# The names of PyTorch's own markers around a graph's arguments (2.8+): they show in a profile as 'Pregraph bytecode'.
MARKER_MODULE = "__import_torch_dot__dynamo_dot_utils"
MARKERS = ("record_pregraph_bytecode_enter", "record_pregraph_bytecode_exit")


class NoNewCompilations:
    """While installed, frames that no entry fits run uncompiled, and `miss` is told of them.

    2.7+: torch.compile asks `_callback_from_stance` what to do with a frame; ours stands in front of it. Before, what can be
    had is that nothing at all is compiled and entries are looked up only; `miss` is then told of the calls of what
    torch.compile was given, and not of frames inside them.
    """

    def __init__(self, miss: Miss) -> None:
        self._miss = miss
        self._installed = False

    def install(self) -> None:
        from torch._dynamo import eval_frame

        self._installed = True
        if hasattr(eval_frame, "_callback_from_stance"):
            name, made = "_callback_from_stance", self._asking_stance
        else:  # 2.5 sets the callback through the first, releases before through the second
            name = "_maybe_set_eval_frame" if hasattr(eval_frame, "_maybe_set_eval_frame") else "set_eval_frame"
            made = self._setting_callback
        replace_for(self, eval_frame, name, made(getattr(eval_frame, name)))

    def uninstall(self) -> None:
        """Take it out; what was put on top of ours meanwhile may go on calling it, and finds it inert."""
        self._installed = False
        put_back(self)

    def _asking_stance(self, original: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def callback_from_stance(callback: Any) -> Any:
            chosen = original(callback)
            if not self._installed or chosen in (None, False):
                return chosen
            if frames_have_actions():
                return self._running_uncompiled(chosen)
            self._tell_of_call()
            return False

        return callback_from_stance

    def _setting_callback(self, original: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def set_callback(callback: Any) -> Any:
            if not self._installed or callback in (None, False):
                return original(callback)
            self._tell_of_call()
            return original(False)

        return set_callback

    def _tell_of_call(self) -> None:
        """Where the wrapper that torch.compile made is about to call: tell `miss` when no entry fits its arguments."""
        call = call_of_compiled()
        if call is None:
            return
        try:
            with as_in_a_call(call.context):
                entries = live_entries(call.f_code)
                if not any(guards_hold(entry, call.f_locals) for entry in entries):
                    self._miss(call, True)
        except Exception:  # a guard that cannot be asked from here: the call is worth more than a message about it
            return

    def _running_uncompiled(self, callback: Any) -> Callable[..., Any]:
        from torch._C._dynamo.eval_frame import _FrameAction, _FrameExecStrategy
        from torch._dynamo import convert_frame, trace_rules
        from torch._dynamo.types import ConvertFrameReturn

        def run_uncompiled(frame: Any, *_args: Any, **_kwargs: Any) -> Any:
            if trace_rules.check(frame.f_code) or not convert_frame.has_tensor_in_frame(frame):
                # PyTorch would not compile it in any case; what it calls is still looked up
                through = _FrameExecStrategy(_FrameAction.SKIP, _FrameAction.DEFAULT)
                return ConvertFrameReturn(frame_exec_strategy=through, apply_to_code=False)
            self._miss(frame, called_by_torch_compile())
            uncompiled = _FrameExecStrategy(_FrameAction.SKIP, _FrameAction.SKIP)
            return ConvertFrameReturn(frame_exec_strategy=uncompiled, apply_to_code=False)

        # PyTorch compares backends through this: without it no entry would fit. The first name since 2.9, the second before
        run_uncompiled._torchdynamo_orig_backend = callback  # type: ignore[attr-defined]
        run_uncompiled._torchdynamo_orig_callable = callback  # type: ignore[attr-defined]
        return run_uncompiled


def frames_have_actions() -> bool:
    """Whether a callback can say what becomes of one frame and of the frames that it calls (2.7+)."""
    from torch._C._dynamo import eval_frame

    return hasattr(eval_frame, "_FrameAction")


def aot_graphs_run_as_code() -> bool:
    """Whether backend aot_eager calls its graphs' code, as it does since fx can write boxed code; before, it interprets."""
    import torch.fx.graph

    return hasattr(torch.fx.graph, "_BoxedCodeGen")


class GraphsAsCode:
    """While installed, an interpreter that is to run one of these graph modules calls its code instead.

    For releases in which backend aot_eager interprets its graphs; where it calls their code, this does nothing.
    """

    def __init__(self) -> None:
        self.modules: List[Any] = []

    def install(self) -> None:
        import torch.fx

        if aot_graphs_run_as_code() or not self.modules:
            return
        original = torch.fx.Interpreter.boxed_run

        def boxed_run(interpreter: Any, args_list: List[Any]) -> Any:
            if not any(interpreter.module is module for module in self.modules):
                return original(interpreter, args_list)
            args = list(args_list)
            args_list.clear()
            return interpreter.module.forward(*args)

        replace_for(self, torch.fx.Interpreter, "boxed_run", boxed_run)

    def uninstall(self) -> None:
        self.modules.clear()
        put_back(self)


def recompile_for_real(graph_module: Any) -> None:
    """A graph module may put off making its Python code until it is called (2.3+)."""
    make = getattr(graph_module, "real_recompile", None)
    if make is not None:
        make()


def has_never_run(graph_module: Any) -> bool:
    """Whether a graph module has not been called so far: it has put off making its code (2.3+)."""
    puts_off = getattr(type(graph_module), "_needs_recompile", None)
    return bool(puts_off is not None and graph_module._needs_recompile())


def inductor_callable(compiled_graph: Any) -> Any:
    """The function of Inductor's generated module that a compiled graph calls; None where there is none in Python.

    It is `compiled_artifact` before 2.4, where `current_callable` is at most a wrapper around it, and `current_callable` since.
    """
    return getattr(compiled_graph, "compiled_artifact", None) or getattr(compiled_graph, "current_callable", None)


def being_traced() -> bool:
    """Whether operations are being recorded rather than run, so that tensors have no values (2.2+).

    Control flow operations do that with their branches when gradients are needed.
    """
    from torch.fx.experimental import proxy_tensor

    get_mode = getattr(proxy_tensor, "get_proxy_mode", None) or getattr(proxy_tensor, "get_innermost_proxy_mode", None)
    return get_mode is not None and get_mode() is not None


def frame_needs_all_locals() -> bool:
    """Whether code that stands in for a frame's must have all its locals: seen in 2.2, gone in 2.13, taken as before 2.6."""
    import torch.compiler

    return not hasattr(torch.compiler, "set_stance")


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


def innermost(compiled: Callable[..., Any]) -> Callable[..., Any]:
    """The callable that torch.compile was given."""
    from torch._dynamo import eval_frame

    return eval_frame.innermost_fn(compiled)  # type: ignore[no-any-return]


def run_without_compiling(code: CodeType) -> None:
    """Tell PyTorch never to compile frames of this code object itself; frames that it calls still are."""
    from torch._dynamo import eval_frame

    eval_frame.skip_code(code)


def unseen(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose frames, and those of all that it calls, torch.compile does not look at.

    PyTorch calls hooks also where compiling is switched on, as compiled autograd does while it makes its graph (2.2+).
    """
    from torch._dynamo import disable

    return disable(function)  # type: ignore[no-any-return]


def _is_function(obj: object) -> bool:
    return isinstance(obj, FunctionType)
