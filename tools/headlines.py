"""The headline examples, each a program of its own: what `make matrix` shows on every PyTorch release.

python -m tools.headlines FOLDER [NAME ...] runs them in the running interpreter with the PyTorch that is installed, and
writes FOLDER/headlines.json: for each 'passed', or why not. Uses depyf as a user would, and the standard library.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Any, Callable, Dict, List, Set

ROOT = Path(__file__).resolve().parent.parent
Results = Dict[str, str]  # a headline -> 'passed', or why not
BACKENDS = ("eager", "aot_eager", "inductor")
LOGGED = """
import torch
import depyf

depyf.install()

@torch.compile(backend="eager")
def f(a, b):
    return a + b

f(torch.tensor(1), torch.tensor(2))
depyf.uninstall()
"""


def toy_example(a: Any, b: Any) -> Any:
    import torch

    x = a / (torch.abs(a) + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b


def two_shapes(inputs: Dict[str, Any]) -> Any:
    x = inputs["x"].cos().cos()
    if x.mean() > 0.5:
        x = x / 1.1
    return x * inputs["y"]


def toy_calls(function: Callable[..., Any]) -> List[Any]:
    """Both ways of the branch, twice."""
    import torch

    torch.manual_seed(0)
    a = torch.randn(10)
    return [function(a, b) for b in (torch.ones(10), -torch.ones(10), torch.ones(10), -torch.ones(10))]


def two_shapes_calls(function: Callable[..., Any]) -> List[Any]:
    """Two shapes, so that the function is compiled again; with gradients, so that there is a backward graph."""
    import torch

    torch.manual_seed(0)
    found: List[Any] = []
    for size in (10, 8, 10, 8):
        inputs = {name: torch.randn(size, requires_grad=True) for name in "xy"}
        output = function(inputs)
        output.sum().backward()
        found += [output.detach(), inputs["x"].grad, inputs["y"].grad]
    return found


def same(left: List[Any], right: List[Any]) -> bool:
    import torch

    return len(left) == len(right) and all(torch.equal(a, b) for a, b in zip(left, right))


def fresh() -> None:
    import torch

    torch._dynamo.reset()


def session_of(folder: Path) -> Dict[str, Any]:
    return dict(json.loads((folder / "session.json").read_text(encoding="utf-8")))


def check_dump(folder: Path) -> Dict[str, Any]:
    """Every file is Python, every transformed code is proven and linked, and nothing went wrong on the way."""
    for path in folder.rglob("*.py"):
        compile(path.read_text(encoding="utf-8"), str(path), "exec", dont_inherit=True)
    session = session_of(folder)
    codes = [c["transformed"] for f in session["functions"] for c in f["compilations"] if c["transformed"]]
    bad = [code for code in codes if code["status"] != "EQUAL" or not code["linked"]]
    assert codes and not bad, f"not proven or not linked: {bad or 'no code at all'}"
    assert session["problems"] == [], session["problems"]
    return session


def stages(folder: Path) -> Dict[str, Set[str]]:
    """The graphs of a dump with the stages that there are files for."""
    found: Dict[str, Set[str]] = {}
    for path in folder.glob("__compiled_fn_*.py"):
        graph, stage = path.name.split(".")[:2]
        found.setdefault(graph, set()).add(re.sub(r"_\d+$", "", stage))
    return found


def check_program(
    function: Callable[..., Any],
    calls: Callable[..., List[Any]],
    folder: Path,
    backend: str,
    afterwards: Callable[[Any], None] = lambda compiled: None,
) -> None:
    """The same results with and without prepare_debug, and a whole dump; `afterwards` gets the compiled function."""
    import torch

    import depyf

    fresh()
    compiled = torch.compile(function, backend=backend)
    with depyf.prepare_debug(str(folder)):
        got = calls(compiled)
    afterwards(compiled)
    # this one after that: some older releases do not tell again what Inductor's passes made of a graph that they have in a cache
    fresh()
    expected = calls(torch.compile(function, backend=backend))
    assert same(got, expected), f"{backend}: other results inside prepare_debug"
    check_dump(folder)
    name = function.__name__
    assert len(list(folder.glob(f"full_code_for_{name}_*.py"))) == 1, sorted(os.listdir(str(folder)))
    text = next(folder.glob(f"full_code_for_{name}_*.py")).read_text(encoding="utf-8")
    assert f"__guard_0_for_{name}(L, G, **___kwargs_ignored)" in text and f"def {name}(" in text
    wanted = {"eager": {"Captured_Graph"}, "aot_eager": {"Captured_Graph", "Forward_graph"}}.get(
        backend, {"Captured_Graph", "Forward_graph", "AFTER_POST_GRAD", "kernel"}
    )
    found = stages(folder)
    assert len(found) >= 3, found
    missing = {graph: wanted - has for graph, has in found.items() if not wanted <= has}
    assert not missing, f"{backend}: stages without a file: {missing}"


def check_stepping(compiled: Callable[..., Any], folder: Path, backend: str) -> None:
    """Inside debug() dumped lines run, which is what a breakpoint needs; same results, and nothing is compiled."""
    from torch._dynamo import convert_frame

    import depyf

    expected = toy_calls(compiled)
    ran: Set[str] = set()
    compiled_anew: List[str] = []

    def watch(frame: Any, event: str, _argument: Any) -> Any:
        path = os.path.realpath(frame.f_code.co_filename)
        if not path.startswith(os.path.realpath(str(folder)) + os.sep):
            return None
        if event == "line":
            ran.add(os.path.basename(path))
        return watch

    handle = convert_frame.register_bytecode_hook(lambda old, new: compiled_anew.append(old.co_name))
    with depyf.debug():
        sys.settrace(watch)
        try:
            got = toy_calls(compiled)
        finally:
            sys.settrace(None)
            handle.remove()
    assert same(got, expected), f"{backend}: other results inside debug()"
    assert not compiled_anew, f"{backend}: compiled inside debug(): {compiled_anew}"
    innermost = {"eager": "Captured_Graph", "aot_eager": "Forward_graph"}.get(backend, "kernel")
    assert len([name for name in ran if name.startswith("__transformed_code_")]) == 3, f"{backend}: {sorted(ran)}"
    assert len([name for name in ran if f".{innermost}" in name]) == 3, f"{backend}: no lines of {innermost}: {sorted(ran)}"


def headline_toy(folder: Path) -> Results:
    """prepare_debug on a function with a graph break, with every backend; then debug() on what it dumped."""
    prepared: List[str] = []
    stepped: List[str] = []
    for backend in BACKENDS:

        def step(compiled: Any, backend: str = backend) -> None:
            try:
                check_stepping(compiled, folder / backend, backend)
            except Exception as error:
                stepped.append(told(error))

        try:
            check_program(toy_example, toy_calls, folder / backend, backend, step)
            transformed = sorted(path.name for path in (folder / backend).glob("__transformed_code_*.py"))
            assert len(transformed) == 3, f"toy_example and its two resume functions, not {transformed}"
        except Exception as error:
            prepared.append(told(error))
    return {"prepare_debug, toy": "; ".join(prepared) or "passed", "debug": "; ".join(stepped) or "passed"}


def headline_two_shapes(folder: Path) -> Results:
    """prepare_debug on a function that is compiled again for another shape, and trained."""
    for backend in BACKENDS:
        check_program(two_shapes, two_shapes_calls, folder / backend, backend)
        own = [f for f in session_of(folder / backend)["functions"] if f["name"] == "two_shapes"]
        assert len(own) == 1 and len(own[0]["compilations"]) == 2, own
        if backend != "eager":
            found = set().union(*stages(folder / backend).values())
            assert {"Joint_graph", "Backward_graph"} <= found, found
    return {"prepare_debug, two shapes": "passed"}


def headline_install(folder: Path) -> Results:
    """depyf.install(): PyTorch's bytecode log goes on with the source, and says that it is proven."""
    script = folder / "program.py"
    script.write_text(LOGGED, encoding="utf-8")
    environment = {**os.environ, "TORCH_LOGS": "+bytecode", "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, str(script)], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    original, modified = done.stderr.split("MODIFIED BYTECODE", 1)
    for text, line in ((original, "return a + b"), (modified, "__compiled_fn_")):
        shown = text.split("possible source code:", 1)
        assert len(shown) == 2 and "verdict: EQUAL" in shown[1] and line in shown[1], done.stderr
    return {"install": "passed"}


def headline_dispatcher(folder: Path) -> Results:
    """The dispatcher calls compiled code without its guards: a change that guards would notice is not noticed."""
    import torch

    from depyf.optimization import TorchCompileWrapperWithCustomDispatcher

    class Layer(torch.nn.Module):
        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

        def forward(self, x: Any) -> Any:
            return x + self.number

    class Model(TorchCompileWrapperWithCustomDispatcher):
        def __init__(self, count: int) -> None:
            self.layers = torch.nn.ModuleList([Layer(number) for number in range(count)])
            super().__init__(torch.compile(self.forward))

        def forward(self, x: Any) -> Any:
            for layer in self.layers:
                x = layer(x)
            return x

        def __call__(self, x: Any) -> Any:
            if len(self.compiled_codes) == 1:
                with self.dispatch_to_code(0):
                    return self.forward(x)
            return self.compiled_callable(x)

    model = Model(20)
    assert model(torch.tensor([1])).tolist() == [191]
    assert len(model.compiled_codes) == 1
    assert model(torch.tensor([2])).tolist() == [192]
    model.layers[0].number = 1000
    assert model(torch.tensor([3])).tolist() == [193], "guards were evaluated"
    assert len(model.compiled_codes) == 1
    return {"dispatcher": "passed"}


# by the name under which the outcome stands when a headline ends with an exception
HEADLINES: Dict[str, Callable[[Path], Results]] = {
    "prepare_debug, toy": headline_toy,
    "prepare_debug, two shapes": headline_two_shapes,
    "install": headline_install,
    "dispatcher": headline_dispatcher,
}


def told(error: Exception) -> str:
    """What went wrong, in one line; the log has all of it."""
    traceback.print_exc()
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]


def run(name: str, folder: Path) -> Results:
    folder.mkdir(parents=True, exist_ok=True)
    try:
        return HEADLINES[name](folder)
    except Exception as error:
        return {name: told(error)}


def main() -> int:
    folder = Path(sys.argv[1])
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(folder / "cache")
    found: Results = {}
    for name in sys.argv[2:] or list(HEADLINES):
        fresh()
        results = run(name, folder / re.sub(r"\W+", "_", name))
        found.update(results)
        print(f"{results}", flush=True)
        (folder / "headlines.json").write_text(json.dumps(found), encoding="utf-8")
    return int(any(result != "passed" for result in found.values()))


if __name__ == "__main__":
    sys.exit(main())
