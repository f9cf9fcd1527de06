"""Microseconds per call of a compiled module of 100 layers, called in six ways.

    python bench/dispatch.py [rounds]

Each way computes the same; they differ in how much of torch.compile's wrapper and guards runs in front of the graph.
The ways are timed in turns, in processor time of the calling thread, and the best round of each counts. Prints a table,
and exits with 1 when `skip_guards` is not within 1.2 times the floor, the dispatcher not within 1.5 times, or one of
them not ahead of PyTorch's own ways.
"""

from __future__ import annotations

import sys
import time
import timeit
from pathlib import Path
from typing import Any, Callable, Dict

import torch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from depyf.optimization import TorchCompileWrapperWithCustomDispatcher, skip_guards

LAYERS = 100
CALLS = 1000


class AddConstant(torch.nn.Module):
    def __init__(self, constant: int) -> None:
        super().__init__()
        self.constant = constant

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.constant


class Layers(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = torch.nn.ModuleList([AddConstant(i) for i in range(LAYERS)])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = layer(x)
        return x


class Dispatched(TorchCompileWrapperWithCustomDispatcher):
    def __init__(self) -> None:
        self.layers = torch.nn.ModuleList([AddConstant(i) for i in range(LAYERS)])
        super().__init__(torch.compile(self.forward))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = layer(x)
        return x

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        if len(self.compiled_codes) == 1:
            with self.dispatch_to_code(0):
                return self.forward(x)
        return self.compiled_callable(x)


def guards_dropped() -> Callable[[torch.Tensor], torch.Tensor]:
    def forward(x: torch.Tensor) -> torch.Tensor:
        for layer in layers:
            x = layer(x)
        return x

    layers = Layers().layers
    return torch.compile(forward, options={"guard_filter_fn": lambda guards: [False for _ in guards]})


def ways(x: torch.Tensor) -> Dict[str, Callable[[], Any]]:
    """The six ways, each called once already."""
    compiled = torch.compile(Layers().forward)
    compiled(x)
    names = [name for name in globals() if name.startswith("__compiled_fn_")]
    graph = globals()[names[0]]
    dropped = guards_dropped()
    dispatched = Dispatched()
    skipping = skip_guards(torch.compile(Layers().forward))
    expected = sum(range(LAYERS)) + x
    for call in (compiled, dropped, dispatched, skipping):
        for _ in range(3):
            assert torch.equal(call(x), expected)
    assert torch.equal(graph(x)[0], expected)
    assert len(dispatched.compiled_codes) == 1
    return {
        "torch.compile": lambda: compiled(x),
        "set_stance(skip_guard_eval_unsafe=True)": lambda: compiled(x),
        "guard_filter_fn that drops all": lambda: dropped(x),
        "TorchCompileWrapperWithCustomDispatcher": lambda: dispatched(x),
        "skip_guards": lambda: skipping(x),
        "the compiled graph itself (floor)": lambda: graph(x),
    }


def measure(rounds: int) -> Dict[str, float]:
    calls = ways(torch.tensor([2]))
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for name, call in calls.items():
            if name.startswith("set_stance"):
                with torch.compiler.set_stance(skip_guard_eval_unsafe=True):
                    taken = timeit.timeit(call, number=CALLS, timer=time.thread_time)
            else:
                taken = timeit.timeit(call, number=CALLS, timer=time.thread_time)
            best[name] = min(best[name], taken / CALLS * 1e6)
    return best


def main() -> int:
    best = measure(int(sys.argv[1]) if len(sys.argv) > 1 else 60)
    floor = best["the compiled graph itself (floor)"]
    print(f"PyTorch {torch.__version__}, Python {sys.version.split()[0]}, {LAYERS} layers")
    print(f"{'':45}{'µs/call':>8}{'× floor':>9}")
    for name, taken in best.items():
        print(f"{name:45}{taken:8.2f}{taken / floor:9.2f}")
    skipping, dispatcher = best["skip_guards"], best["TorchCompileWrapperWithCustomDispatcher"]
    theirs = min(taken for name, taken in best.items() if name.startswith(("torch.compile", "set_stance", "guard_f")))
    good = skipping <= 1.2 * floor and dispatcher <= 1.5 * floor and max(skipping, dispatcher) < theirs
    print(
        "within the bounds" if good else "OUT OF BOUNDS: skip_guards <= 1.2, dispatcher <= 1.5, both ahead of the rest"
    )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
