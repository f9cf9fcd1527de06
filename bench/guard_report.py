"""How well the rows of `guard_report` add up to the overhead that was measured, as ratios.

    python bench/guard_report.py [rounds]

A small transformer with Inductor, and a function of one and of four entries with and without a graph break. Each is
reported `rounds` times (5), and the median of sum of rows / measured overhead counts. Prints a table, and exits with 1
when a median is not within 25 % of 1. Rows are times of microseconds: run it on a machine that does little else.
"""

from __future__ import annotations

import statistics
import sys
from pathlib import Path
from typing import Any, Callable, Dict, List, Tuple

import torch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from depyf.optimization import guard_report

WITHIN = 0.25


class Block(torch.nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.attention = torch.nn.MultiheadAttention(width, heads, batch_first=True)
        self.norms = torch.nn.ModuleList(torch.nn.LayerNorm(width) for _ in range(2))
        self.feed = torch.nn.Sequential(
            torch.nn.Linear(width, 2 * width), torch.nn.GELU(), torch.nn.Linear(2 * width, width)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.norms[0](x)
        x = x + self.attention(y, y, y, need_weights=False)[0]
        return x + self.feed(self.norms[1](x))


def scaled(x: torch.Tensor, factor: int) -> torch.Tensor:
    return x * factor + 1


def broken(x: torch.Tensor, factor: int) -> torch.Tensor:
    y = x * factor
    torch._dynamo.graph_break()
    return y + 1


def transformer() -> Tuple[Any, Tuple[Any, ...]]:
    compiled = torch.compile(torch.nn.Sequential(*(Block(16, 2) for _ in range(2))).eval().forward)
    x = torch.randn(1, 2, 16)
    compiled(x)
    return compiled, (x,)


def entries(function: Callable[..., Any], count: int) -> Tuple[Any, Tuple[Any, ...]]:
    torch._dynamo.reset()
    compiled = torch.compile(function, backend="eager", dynamic=False)
    for factor in range(2, 2 + count):
        compiled(torch.ones(3), factor)
    return compiled, ()


def ratios(compiled: Any, arguments: Tuple[Any, ...], rounds: int) -> List[float]:
    """For each entry, the median over the rounds."""
    found: Dict[str, List[float]] = {}
    for _ in range(rounds):
        for entry in guard_report(compiled, *arguments, seconds=1.5 if arguments else 0.3).entries:
            assert entry.parts is not None, f"{entry.name} was not timed"
            found.setdefault(entry.name, []).append(entry.parts.explained / entry.parts.overhead)
    return [statistics.median(several) for several in found.values()]


def main(arguments: List[str]) -> int:
    rounds = int(arguments[0]) if arguments else 5
    torch.set_num_threads(1)  # threads that wait for each other would be measured too
    shapes: Dict[str, Callable[[], Tuple[Any, Tuple[Any, ...]]]] = {"a small transformer, Inductor": transformer}
    for count in (1, 4):
        shapes[f"entries: {count}"] = lambda count=count: entries(scaled, count)
        shapes[f"entries: {count}, with a graph break"] = lambda count=count: entries(broken, count)
    good = True
    print(f"PyTorch {torch.__version__}; sum of rows / measured overhead, the median of {rounds} reports of each entry")
    with torch.no_grad():
        for name, make in shapes.items():
            medians = ratios(*make(), rounds)
            good = good and all(abs(ratio - 1) <= WITHIN for ratio in medians)
            print(f"{name:34} {'  '.join(f'{ratio:.2f}x' for ratio in medians)}", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
