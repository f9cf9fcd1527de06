"""Runs a graph module node by node, and shows each value to a function; steps of autograd's backward too.

The function gets the node, its output, its inputs by name, and for the backward the name of autograd's step.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Set, Tuple

import torch
import torch.fx

from depyf.debugging.statistics import tensors_in

Look = Callable[..., None]


def run_boxed_or_not(module: Any, args: Tuple[Any, ...], look: Look) -> Any:
    """Call a graph module with its own calling convention: arguments, or one list of them that is emptied."""
    placeholders = sum(node.op == "placeholder" for node in module.graph.nodes)
    if len(args) == 1 and isinstance(args[0], list) and _is_boxed(module):
        flat = list(args[0])
        args[0].clear()
    else:
        flat = list(args)
    if len(flat) != placeholders:
        raise TypeError(f"the graph takes {placeholders} inputs, not {len(flat)}")
    return _NodeByNode(module, look).run(*flat, enable_io_processing=False)


def _is_boxed(module: Any) -> bool:
    return "Boxed" in type(module.graph._codegen).__name__ or bool(getattr(module, "_boxed_call", False))


class _NodeByNode(torch.fx.Interpreter):  # type: ignore[misc]
    def __init__(self, module: Any, look: Look) -> None:
        super().__init__(module)
        self.extra_traceback = False  # our own message names the node
        self._look = look
        self._known: Set[Any] = set()  # steps of autograd that were there before the graph ran, or were seen already

    def run_node(self, n: torch.fx.Node) -> Any:
        inputs = self._inputs(n)
        if n.op == "placeholder":
            value = super().run_node(n)
            self._known.update(tensor.grad_fn for tensor in tensors_in(value) if tensor.grad_fn is not None)
            self._look(n, value, inputs)
            return value
        value = super().run_node(n)
        if n.op != "output":
            self._look(n, value, inputs)
            self._watch_backward(n, value, inputs)
        return value

    def _inputs(self, node: torch.fx.Node) -> List[Tuple[str, Any]]:
        """The values of a node's arguments by name; versions from before an in-place operation may be gone."""
        return [(source.name, self.env[source]) for source in node.all_input_nodes if source in self.env]

    def _watch_backward(self, node: torch.fx.Node, value: Any, inputs: List[Tuple[str, Any]]) -> None:
        """Look at the gradients that come out of each step of autograd that this node recorded."""
        pending = [tensor.grad_fn for tensor in tensors_in(value) if tensor.grad_fn is not None]
        while pending:
            step = pending.pop()
            if step is None or step in self._known or "AccumulateGrad" in step.name():
                continue
            self._known.add(step)
            step.register_hook(self._backward_look(node, step.name(), inputs))
            pending.extend(following for following, _ in step.next_functions)

    def _backward_look(self, node: torch.fx.Node, step: str, inputs: List[Tuple[str, Any]]) -> Callable[..., None]:
        kept: Dict[str, Any] = {name: _detached(value) for name, value in inputs}

        def hook(gradients_in: Any, gradients_out: Any) -> None:
            named = [("gradient from above", gradients_out), *kept.items()]
            self._look(node, gradients_in, named, step)

        return hook


def _detached(value: Any) -> Any:
    return value.detach() if isinstance(value, torch.Tensor) else value
