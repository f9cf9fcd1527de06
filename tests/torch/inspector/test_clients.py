"""The ways in which real clients use depyf, and what they rely on."""

from __future__ import annotations

import glob
import os
import re
import sys
from types import CodeType
from typing import Any, List

import pytest
import torch

import depyf
from tests.torch.inspector import support


class Engine:
    """Like an inference engine: the manager is made early, entered inside its backend, and left by hand when loading ends."""

    def __init__(self, directory: str) -> None:
        self.manager = depyf.prepare_debug(directory)
        self.entered = False
        self.codes: List[CodeType] = []

    def backend(self, graph: Any, inputs: Any) -> Any:
        if not self.entered:
            self.manager.__enter__()
            self.entered = True
        from torch._dynamo.utils import lazy_format_graph_code

        lazy_format_graph_code("before split", graph)
        lazy_format_graph_code("after split", torch.fx.symbolic_trace(graph))
        return graph.forward

    def bytecode_hook(self, old_code: CodeType, new_code: CodeType) -> None:
        self.codes.append(new_code)


def test_entered_inside_a_backend(tmp_path: Any) -> None:
    engine = Engine(str(tmp_path))
    handle = torch._dynamo.convert_frame.register_bytecode_hook(engine.bytecode_hook)

    class Model(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            return torch.relu(x * 2 + 1)

    model = torch.compile(Model(), backend=engine.backend, fullgraph=True)
    result = model(torch.ones(4))
    engine.manager.__exit__(None, None, None)
    handle.remove()
    assert support.same(result, torch.full((4,), 3.0))
    assert len(glob.glob(os.path.join(str(tmp_path), "__transformed_code*for_forward.py"))) == 1
    shown = [os.path.basename(path) for path in glob.glob(os.path.join(str(tmp_path), "__compiled_fn*.py"))]
    stages = sorted(name.split(".")[1] for name in shown)
    assert stages == ["Captured_Graph", "after_split", "before_split"]
    assert len({re.search(r"\d+", name).group() for name in shown}) == 1  # type: ignore[union-attr]
    assert "relu" in support.read(tmp_path, shown[0])
    assert support.session(tmp_path)["problems"] == []
    assert len(engine.codes) == 1


def test_decompile_what_the_hook_delivered(tmp_path: Any) -> None:
    engine = Engine(str(tmp_path))
    handle = torch._dynamo.convert_frame.register_bytecode_hook(engine.bytecode_hook)

    def forward(x: Any) -> Any:
        return x + 1

    torch.compile(forward, backend="eager")(torch.ones(3))
    handle.remove()
    text = depyf.decompile(engine.codes[0])
    assert "def forward(x):" in text and "__compiled_fn_" in text
    assert "update" not in text, "such clients look for calls of update in the text"


def test_forward_graphs_by_glob(tmp_path: Any) -> None:
    def forward(x: Any) -> Any:
        return x.sin() + 1

    compiled = torch.compile(forward, backend="aot_eager")
    support.dumped(tmp_path, lambda: compiled(torch.ones(3)))
    assert len(glob.glob(os.path.join(str(tmp_path), "__compiled_fn*Forward_graph*.py"))) == 1


def test_graph_shown_outside_of_a_compilation(tmp_path: Any) -> None:
    from torch._dynamo.utils import lazy_format_graph_code  # imported before entering, by name

    graph = torch.fx.symbolic_trace(torch.nn.ReLU())
    defined_in = sys.modules[lazy_format_graph_code.__module__]
    with depyf.prepare_debug(tmp_path):
        defined_in.lazy_format_graph_code("piece one", graph)
    assert "shown_graph.piece_one.0.py" in support.names(tmp_path)
    assert "relu" in support.read(tmp_path, "shown_graph.piece_one.0.py")
    assert "piece one" in str(lazy_format_graph_code("piece one", graph))


def test_custom_backend_of_aot_autograd(tmp_path: Any) -> None:
    from torch._dynamo.backends.common import aot_autograd

    backend = aot_autograd(fw_compiler=lambda graph, inputs: graph.forward)
    x = torch.ones(3, requires_grad=True)
    support.dumped(tmp_path, lambda: torch.compile(lambda v: v.sin().sum(), backend=backend)(x).backward())
    stages = {name.split(".")[1] for name in support.names(tmp_path) if name.startswith("__compiled_fn_")}
    assert stages == {"Captured_Graph", "Joint_graph", "Forward_graph", "Backward_graph"}


@support.requires("exported_programs")
@pytest.mark.parametrize("strict", [False, True])
def test_exported_program(strict: bool, tmp_path: Any) -> None:
    class Model(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = torch.nn.Linear(3, 3)

        def forward(self, x: Any) -> Any:
            return self.inner(x).relu()

    original = torch._logging.dtrace_structured
    with depyf.prepare_debug(tmp_path):
        program = torch.export.export(Model(), (torch.ones(2, 3),), strict=strict)
    assert torch._logging.dtrace_structured is original is torch.export._trace.dtrace_structured
    text = support.read(tmp_path, "shown_graph.Exported_program.0.py")
    assert "class GraphModule(torch.nn.Module):" in text and "torch.ops.aten.relu.default(" in text
    assert "# Graph signature:" in text and "p_inner_weight" in text
    assert "shown_graph.Exported_program.0.py" in support.read(tmp_path, "index.md")
    support.assert_python(tmp_path)
    assert program.module()(torch.ones(2, 3)).shape == (2, 3)
