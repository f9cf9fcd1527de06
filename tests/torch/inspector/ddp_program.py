"""Two training steps of a small model in DDP; arguments: the dump directory, and `apart` for a rank that computes more."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

import depyf


class Net(torch.nn.Module):
    def __init__(self, extra: bool) -> None:
        super().__init__()
        self.first, self.second, self.extra = torch.nn.Linear(4, 8), torch.nn.Linear(8, 2), extra

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.relu(self.first(x))
        torch._dynamo.graph_break()
        if self.extra:
            x = x * 2
        return self.second(x)


def main(folder: str, apart: bool) -> None:
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(0)
    model = DistributedDataParallel(Net(apart and rank == 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with depyf.prepare_debug(folder):
        compiled = torch.compile(model, backend="aot_eager")
        for step in range(2):
            torch.manual_seed(rank + 10 * step)
            compiled(torch.randn(3, 4)).square().mean().backward()
            optimizer.step()
            optimizer.zero_grad()
    total = sum(float(p.detach().double().sum()) for p in model.parameters())
    print(f"rank {rank}: {total!r}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1], "apart" in sys.argv[2:])
