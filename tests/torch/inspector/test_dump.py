"""What is in the dump directory: files by their names, on three backends, cold and warm, and what they say."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from typing import Any, List, Set

import pytest
import torch

from depyf.compatibility.behaviours import present
from tests.torch.inspector import support


def halves(a: Any, b: Any) -> Any:
    x = a / (torch.abs(a) + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b


def run_halves(backend: str) -> List[Any]:
    compiled = torch.compile(halves, backend=backend)
    return [compiled(torch.ones(10), sign * torch.ones(10)) for sign in (1, -1, 1)]


def stages(directory: Any) -> Set[str]:
    return {name.partition(".")[2] for name in support.names(directory) if name.startswith("__compiled_fn_")}


STAGES = {
    "eager": {"Captured_Graph.0.py"},
    "aot_eager": {"Captured_Graph.0.py", "Forward_graph.0.py"},
    "inductor": {"Captured_Graph.0.py", "Forward_graph.0.py", "AFTER_POST_GRAD.0.py", "kernel_0.py"},
}


@pytest.mark.parametrize("backend", STAGES)
def test_graph_break(backend: str, tmp_path: Any) -> None:
    got = support.dumped(tmp_path, lambda: run_halves(backend))
    # this one after that: some releases do not tell again what Inductor's passes made of a graph that they have in a cache
    support.fresh()
    assert support.same(got, run_halves(backend))
    names = support.names(tmp_path)
    assert [name for name in names if name.startswith("full_code_for_")] == ["full_code_for_halves_0.py"]
    code = [name for name in names if name.startswith("__transformed_code_")]
    line = halves.__code__.co_firstlineno + 2
    assert sorted(code, key=lambda name: (name != "__transformed_code_0_for_halves.py", name)) == [
        "__transformed_code_0_for_halves.py",
        f"__transformed_code_0_for_{support.resume_name('halves', line)}.py",
        f"__transformed_code_1_for_{support.resume_name('halves', line)}.py",
    ]
    graphs = [name for name in names if name.startswith("__compiled_fn_")]
    assert len({name.partition(".")[0] for name in graphs}) == 3
    assert stages(tmp_path) == STAGES[backend] and len(graphs) == 3 * len(STAGES[backend])
    support.assert_python(tmp_path)


@support.requires("structured_trace")
@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_training_with_two_shapes(backend: str, tmp_path: Any) -> None:
    def loss(inputs: Any) -> Any:
        return (inputs["x"].cos() * inputs["y"]).sum()

    def run() -> List[Any]:
        compiled = torch.compile(loss, backend=backend)
        gradients = []
        for size in (10, 8):
            inputs = {name: torch.ones(size, requires_grad=True) for name in "xy"}
            compiled(inputs).backward()
            gradients += [value.grad for value in inputs.values()]
        return gradients

    expected = run()
    support.fresh()
    assert support.same(support.dumped(tmp_path, run), expected)
    assert {"Joint_graph.0.py", "Forward_graph.0.py", "Backward_graph.0.py"} <= stages(tmp_path)
    (function,) = [f for f in support.session(tmp_path)["functions"] if f["name"] == "loss"]
    first, second = function["compilations"]
    assert first["recompiles"] == []
    text = support.read(tmp_path, "full_code_for_loss_0.py")
    assert "__guard_1_for_loss" in text
    if present("recompile_reasons"):
        assert [(r["old"], r["new"]) for r in second["recompiles"]] == [("10", "8")]
        assert "compiled because entry 0/0 did not fit" in text
    if present("symbols_in_trace"):
        assert second["symbols"], "the shape became dynamic"
    support.assert_python(tmp_path)


def test_cold_and_warm_inductor_cache_give_the_same_files(tmp_path: Any) -> None:
    cache = tmp_path / "cache"
    lists = []
    program = os.path.join(os.path.dirname(__file__), "train_program.py")
    for run in range(3):
        environment = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": str(cache)}
        subprocess.run([sys.executable, program, str(tmp_path / str(run))], env=environment, check=True)
        lists.append(support.names(tmp_path / str(run)))
    told = lists
    if not present("post_grad_text_of_entries"):
        told = [[name for name in names if ".AFTER_POST_GRAD." not in name] for names in lists]
    assert told[0] == told[1] == told[2]
    assert {"kernel_0.py", "kernel_1.py", "Backward_graph.0.py", "AFTER_POST_GRAD.1.py"} <= stages(tmp_path / "0")
    caches = [
        [c["caches"] for f in support.session(tmp_path / run)["functions"] for c in f["compilations"]] for run in "01"
    ]
    if present("autograd_cache"):
        assert any("aotautograd_cache_miss" in found for found in caches[0])
        assert all("aotautograd_cache_hit" in found for found in caches[1])
    for name in lists[1]:  # two runs of one program differ only in what PyTorch makes unique
        one, two = (support.without_unique(support.read(tmp_path / run, name)) for run in "12")
        if name.endswith(".py"):
            assert one == two.replace(f"{tmp_path}/2", f"{tmp_path}/1"), name


def test_module_of_many_layers(tmp_path: Any) -> None:
    class Layer(torch.nn.Module):
        def __init__(self, i: int) -> None:
            super().__init__()
            self.i = i

        def forward(self, x: Any) -> Any:
            return x + self.i

    class Stack(torch.nn.Module):
        def __init__(self, n: int) -> None:
            super().__init__()
            self.fs = torch.nn.ModuleList([Layer(i) for i in range(n)])

        @torch.compile(backend="eager")
        def forward(self, x: Any) -> Any:
            for f in self.fs:
                x = f(x)
            return x

    support.dumped(tmp_path, lambda: Stack(100)(torch.tensor([1])))
    text = support.read(tmp_path, "full_code_for_forward_0.py")
    guard = text[text.index("def __guard_0_for_forward(L, G, **___kwargs_ignored):") :]
    if not present("inlined_modules"):
        assert "(___check_obj_id(L['self'], " in guard
        return
    assert "(len(L['self'].fs) == 100)" in guard
    assert len(re.findall(r"\(L\['self'\]\.fs\[\d+\]\.i == \d+\)", guard)) == 100
    assert "# because of `return x + self.i`" in guard


@support.requires("structured_trace")
def test_full_code_reads_from_top_to_bottom(tmp_path: Any) -> None:
    support.dumped(tmp_path, lambda: run_halves("eager"))
    text = support.read(tmp_path, "full_code_for_halves_0.py")
    parts = [
        "def compiled_halves(a, b):",
        "def __guard_0_for_halves(",
        "# the transformed code, in __transformed_code_0_for_halves.py",
        "class __compiled_fn_",
        "def __resume_at_",
        "# the user's function",
        "def halves(a: Any, b: Any) -> Any:",
    ]
    positions = [text.index(part) for part in parts]
    assert positions == sorted(positions)
    assert "if b.sum() < 0:" in text
    if present("graph_break_hints"):
        assert "Data-dependent" in text
    assert not re.search(r"__compiled_fn_\d+_[0-9a-f]{8}_", text), "names without what is unique to the run"


def test_full_code_defines_each_graph_and_resume_function_that_it_calls(tmp_path: Any) -> None:
    def broken(x: Any, factor: int) -> Any:
        y = x * factor
        torch._dynamo.graph_break()
        return inside(y) + 1

    def inside(y: Any) -> Any:
        return y * 2

    def run() -> List[Any]:
        compiled = torch.compile(broken, backend="eager")
        return [compiled(torch.ones(size), factor) for size, factor in ((2, 3), (5, 4))]

    support.dumped(tmp_path, run)
    tree = ast.parse(support.read(tmp_path, "full_code_for_broken_0.py"))
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    defined = {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    defined |= {node.id for node in names if isinstance(node.ctx, ast.Store)}
    called = {node.id for node in names if node.id.startswith(("__compiled_fn_", "__resume_at_"))}
    assert len({name for name in called if name.startswith("__compiled_fn_") and not name.endswith("_graph")}) == 4
    assert called and called <= defined


def test_headers_lead_from_file_to_file(tmp_path: Any) -> None:
    support.dumped(tmp_path, lambda: run_halves("aot_eager"))
    seen = ["index.md"]
    name = "full_code_for_halves_0.py"
    while name in support.names(tmp_path):
        lines = support.read(tmp_path, name).splitlines()
        assert lines[3] == f"# Before: {seen[-1]}"
        assert "compile id" in lines[2]
        seen.append(name)
        name = lines[4].partition("# After: ")[2]
    assert sorted(seen[1:]) == sorted(n for n in support.names(tmp_path) if n.endswith(".py"))
    assert seen[1:] == support.session(tmp_path)["files"]


@support.requires("structured_trace")
def test_index_links_lead_somewhere(tmp_path: Any) -> None:
    support.dumped(tmp_path, lambda: run_halves("aot_eager"))
    text = support.read(tmp_path, "index.md")
    targets = re.findall(r"\]\(([^)#]+)(?:#L\d+)?\)", text)
    assert len(targets) > 10
    for target in targets:
        assert os.path.exists(os.path.join(str(tmp_path), target)), target
    line = halves.__code__.co_firstlineno + 2
    assert f"test_dump.py#L{line}" in text or not present("graph_break_reasons"), "the line where the graph breaks"
    assert "Use `torch.cond`" in text or not present("graph_break_hints"), "PyTorch's hint"


@support.requires("structured_trace")
def test_session_data(tmp_path: Any) -> None:
    support.dumped(tmp_path, lambda: run_halves("aot_eager"))
    data = support.session(tmp_path)
    assert data["schema"] == 1 and data["finished"] and data["problems"] == []
    top = data["functions"][0]
    assert (top["name"], top["resume"], len(top["compilations"])) == ("halves", False, 1)
    compilation = top["compilations"][0]
    assert compilation["compile_id"] == "0/0"
    if present("graph_break_reasons"):
        assert compilation["graph_breaks"][0]["file"] == __file__
    if present("times_in_trace"):
        assert compilation["timings"]["entire_frame_compile_time"] > 0
    assert len(compilation["resumes"]) == 2
    assert any(guard["cause"] == "if b.sum() < 0:" for guard in compilation["guards"])
    assert json.dumps(data)


@support.requires("recompile_reasons")
def test_recompilation_for_a_value_tells_both_values(tmp_path: Any) -> None:
    def scaled(x: Any, mode: str) -> Any:
        return x.sin() if mode == "sin" else x.cos()

    compiled = torch.compile(scaled, backend="eager")
    support.dumped(tmp_path, lambda: [compiled(torch.ones(3), mode) for mode in ("sin", "cos")])
    (function,) = support.session(tmp_path)["functions"]
    (reason,) = function["compilations"][1]["recompiles"]
    assert (reason["entry"], reason["old"], reason["new"]) == ("0/0", "'sin'", "'cos'")


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
def test_ruff_finds_nothing(tmp_path: Any, backend: str) -> None:
    support.dumped(tmp_path, lambda: run_halves(backend))
    assert support.sources(tmp_path)
    support.assert_clean([str(tmp_path)])
