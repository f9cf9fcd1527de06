"""Finding the first bad value: graphs run node by node, forward and backward, and each node's output is looked at.

The captured graph, and AOTAutograd's graphs where they run as they are, are interpreted instead of called; Inductor's
kernels are replaced by the captured graph. Where autograd runs the backward, its steps are told apart by the forward
node that recorded them.
"""

from __future__ import annotations

import threading
from types import CodeType, FunctionType
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

from depyf.debugging.linking import LiveGraph, live_graphs
from depyf.debugging.pausing import say, somebody_can_answer

Bad = Callable[[Any], bool]


class BadValueFound(RuntimeError):
    """A graph node gave a bad value. `node` is its name, `source` the user's line, `graph` the compiled function."""

    def __init__(self, message: str, node: str, source: str, graph: str) -> None:
        super().__init__(message)
        self.node = node
        self.source = source
        self.graph = graph


def badness(stop_on: Union[None, str, Bad]) -> Optional[Bad]:
    """What `stop_on` means: a function from a tensor to whether it is bad."""
    if stop_on is None:
        return None
    if callable(stop_on):
        return stop_on
    if stop_on == "nan":
        return _has_nan
    if stop_on == "inf":
        return _has_inf
    raise ValueError(f"stop_on={stop_on!r}: give 'nan', 'inf', or a function that takes a tensor")


def _has_nan(tensor: Any) -> bool:
    return (tensor.is_floating_point() or tensor.is_complex()) and bool(tensor.isnan().any())


def _has_inf(tensor: Any) -> bool:
    return (tensor.is_floating_point() or tensor.is_complex()) and bool(tensor.isinf().any())


class Watch:
    """Puts the node-by-node runs in place, and takes them out."""

    def __init__(self, stop_on: Union[str, Bad]) -> None:
        bad = badness(stop_on)
        assert bad is not None
        self._bad = bad
        self._what = stop_on if isinstance(stop_on, str) else "bad"
        self._stopped = False
        self._lock = threading.Lock()

    def install(self) -> None:
        from depyf.compatibility import aot_graphs_run_as_code

        for graph in live_graphs():
            from_captured = len(graph.modules) > 1 and not aot_graphs_run_as_code()
            if graph.modules and (graph.kernels or from_captured):
                self._interpret_captured(graph)
            elif graph.kernels:
                say([f"{graph.name} cannot be watched: PyTorch did not keep the graph that it was compiled from"])
            else:
                for module in graph.modules:
                    for inner in _with_graphs_inside(module):
                        self._interpret(graph.name, inner)

    def uninstall(self) -> None:
        from depyf import compatibility

        compatibility.put_back(self)

    def _interpret(self, graph: str, module: Any) -> None:
        """Calls of the module's forward, whoever holds it, are interpreted."""
        from depyf import compatibility
        from depyf.debugging.interpreting import run_boxed_or_not

        compatibility.recompile_for_real(module)
        function = type(module).forward
        if not isinstance(function, FunctionType):
            return

        def run(*args: Any) -> Any:
            return run_boxed_or_not(module, args[1:], self._looking(graph))

        compatibility.replace_for(self, function, "__code__", _calling(run))

    def _interpret_captured(self, graph: LiveGraph) -> None:
        """The captured graph runs in place of what was made from it."""
        from depyf import compatibility
        from depyf.debugging.interpreting import run_boxed_or_not

        captured = graph.modules[0]
        for inner in _with_graphs_inside(captured)[1:]:
            self._interpret(graph.name, inner)

        def run(*args: Any) -> Any:
            return run_boxed_or_not(captured, args, self._looking(graph.name))

        import torch

        compatibility.replace_for(self, graph.namespace, graph.name, torch._dynamo.disable(run))

    def _looking(self, graph: str) -> Callable[..., None]:
        def look(node: Any, value: Any, inputs: List[Tuple[str, Any]], backward: str = "") -> None:
            from depyf.compatibility import being_traced
            from depyf.debugging.statistics import tensors_in

            if self._stopped or being_traced():
                return
            if any(self._bad(tensor) for tensor in tensors_in(value)):
                self._stop(graph, node, value, inputs, backward)

        return look

    def _stop(self, graph: str, node: Any, value: Any, inputs: List[Tuple[str, Any]], backward: str) -> None:
        from depyf.debugging.statistics import lines_about

        with self._lock:
            if self._stopped:
                return
            self._stopped = True  # the first one only: what follows from it is bad too
        source = source_line(node)
        what = {"nan": "NaN", "inf": "an infinity"}.get(self._what, "a bad value")
        who = f"node {node.name}" if not backward else f"the backward of node {node.name} ({backward})"
        if node.op == "placeholder":
            who = f"input {node.name}, which came into the graph so"
        lines = [
            f"{what} first in {who} of {graph}",
            f"  operation: {_operation(node)}",
            *([f"  from: {source}"] if source else []),
            *(f"  input  {line}" for line in lines_about(inputs)),
            *(f"  output {line}" for line in lines_about([(node.name if not backward else "gradient", value)])),
        ]
        if not somebody_can_answer():
            raise BadValueFound("\n".join(lines), node.name, source, graph)
        say(lines)
        stopped_at_first_bad_value(node, dict(inputs), value)


def stopped_at_first_bad_value(node: Any, inputs: Dict[str, Any], output: Any) -> None:
    """The program waits here: `node` gave `output`, which is bad, from `inputs`. `up` leads to the graph's run."""
    breakpoint()


def source_line(node: Any) -> str:
    """The user's line that a node comes from: `file:line in function: text`, the innermost frame of its stack."""
    stack = node.meta.get("stack_trace") or getattr(node, "stack_trace", None) or ""
    lines = [line.strip() for line in str(stack).strip().splitlines()]
    for index in range(len(lines) - 1, -1, -1):
        if lines[index].startswith("File "):
            file, number, function = _frame_parts(lines[index])
            text = lines[index + 1] if index + 1 < len(lines) else ""
            return f"{file}:{number} in {function}: {text}"
    return ""


def _frame_parts(line: str) -> Tuple[str, str, str]:
    """`File "x.py", line 3, in f` or `File: x.py:3 in f`."""
    parts = line.split('"')
    if len(parts) >= 3:
        number, _, function = parts[2].partition(", in ")
        return parts[1], number.rpartition(" ")[2], function
    return line, "", ""


def _with_graphs_inside(module: Any) -> List[Any]:
    """A graph module, and those that its control flow operations (cond, while_loop, …) call."""
    import torch.fx

    return [inner for inner in module.modules() if isinstance(inner, torch.fx.GraphModule)]


def _operation(node: Any) -> str:
    target = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", str(node.target))
    return f"{node.op} {target}({', '.join(map(str, node.args))})"


def _calling(run: Callable[..., Any]) -> CodeType:
    """A code object that passes its arguments to `run`, a constant of it: the globals it will run with are not ours."""

    def forward(*args: Any) -> Any:
        run: Any = "run"
        return run(*args)

    template = forward.__code__
    constants = tuple(run if constant == "run" else constant for constant in template.co_consts)
    return template.replace(co_consts=constants)


__all__ = ["BadValueFound", "Watch", "badness", "source_line"]
